// Wren: a machine of ten instructions and eight registers, in TableGen alone. docs/llvm-targets.md walks
// through it.

def outs;
def ins;
def sequence;

class Register<string name, bits<3> number> {
  string AsmName = name;
  bits<16> HWEncoding;
  let HWEncoding{2-0} = number;
  let HWEncoding{15-3} = 0;
}
class RegisterClass<dag members> {
  dag MemberList = members;
  int Size = 16;
}
class Operand<string decoder, string printer> {
  string DecoderMethod = decoder;
  string PrintMethod = printer;
}
class Instruction {
  bits<16> Inst;
  int Size = 2;
  dag OutOperandList = (outs);
  dag InOperandList = (ins);
  string AsmString = "";
}
class InstAlias<string text, dag result> {
  string AsmString = text;
  dag ResultInst = result;
  int EmitPriority = 1;
}
foreach i = 0...7 in
  def R#i : Register<"r"#i, i>;
def Reg : RegisterClass<(sequence "R%u", 0, 7)>;
def Small : Operand<"decodeSmall", "">;
def Target : Operand<"decodeTarget", "">;

// Three registers: opcode, rd, ra, rb.
class Three<bits<7> op, string name> : Instruction {
  bits<3> rd;
  bits<3> ra;
  bits<3> rb;
  let Inst{15-9} = op;
  let Inst{8-6} = rd;
  let Inst{5-3} = ra;
  let Inst{2-0} = rb;
  let OutOperandList = (outs Reg:$rd);
  let InOperandList = (ins Reg:$ra, Reg:$rb);
  let AsmString = name # " $rd, $ra, $rb";
}
def ADD : Three<0, "add">;
def SUB : Three<1, "sub">;
def AND : Three<2, "and">;
def XOR : Three<3, "xor">;

// A register and a number.
class Short<bits<5> op, string name> : Instruction {
  bits<3> rd;
  bits<8> imm;
  let Inst{15-11} = op;
  let Inst{10-8} = rd;
  let Inst{7-0} = imm;
  let OutOperandList = (outs Reg:$rd);
  let InOperandList = (ins Small:$imm);
  let AsmString = name # " $rd, $imm";
}
def SET : Short<8, "set">;
def HIGH : Short<9, "high">;

// Memory: a register and an offset in words.
class Memory<bits<5> op, string name> : Instruction {
  bits<3> rd;
  bits<3> base;
  bits<5> offset;
  let Inst{15-11} = op;
  let Inst{10-8} = rd;
  let Inst{7-5} = base;
  let Inst{4-0} = offset;
}
def Offset : Operand<"decodeOffset", "">;
def LOAD : Memory<16, "load"> {
  let OutOperandList = (outs Reg:$rd);
  let InOperandList = (ins Reg:$base, Offset:$offset);
  let AsmString = "load $rd, [$base + $offset]";
}
def STORE : Memory<17, "store"> {
  let InOperandList = (ins Reg:$rd, Reg:$base, Offset:$offset);
  let AsmString = "store $rd, [$base + $offset]";
}

// Jumps: 10 bits of distance in words from this instruction, and whether a register must be zero.
def JUMP : Instruction {
  bits<11> to;
  let Inst{15-11} = 24;
  let Inst{10-0} = to;
  let InOperandList = (ins Target:$to);
  let AsmString = "jump $to";
}
def JZ : Instruction {
  bits<3> ra;
  bits<8> to;
  let Inst{15-11} = 25;
  let Inst{10-8} = ra;
  let Inst{7-0} = to;
  let InOperandList = (ins Reg:$ra, Target:$to);
  let AsmString = "jz $ra, $to";
}

def : InstAlias<"clear $rd", (XOR Reg:$rd, Reg:$rd, Reg:$rd)>;
