// A machine with most of what targets have: two lengths, big-endian words, namespaces, features, ties, parts of operands,
// aliases, short forms, texts by value, branches, numbers after the instruction, bits that are not tested.
def outs; def ins; def ops; def sequence; def add; def all_of; def any_of;

class SubtargetFeature<string n, list<SubtargetFeature> i = []> {
  string Name = n;
  list<SubtargetFeature> Implies = i;
  string Desc = "";
}
class Predicate<dag d> { bit AssemblerMatcherPredicate = 1; dag AssemblerCondDag = d; }
class Register<string n, bits<16> e> { string AsmName = n; bits<16> HWEncoding = e; }
class RegisterClass<dag l> { dag MemberList = l; int Size = 32; string DecoderMethod = ""; }
class Operand<string d, string p> { string DecoderMethod = d; string PrintMethod = p; dag MIOperandInfo = (ops); }
class InstructionEncoding {
  int Size = 4;
  string DecoderNamespace = "";
  string DecoderMethod = "";
  list<Predicate> Predicates = [];
}
class Instruction : InstructionEncoding {
  dag OutOperandList = (outs);
  dag InOperandList = (ins);
  string AsmString = "";
  string Constraints = "";
  bit isBranch = 0;
  bit isBarrier = 0;
  bit isCall = 0;
}
class Long<bits<6> op, string asm> : Instruction {
  bits<32> Inst;
  let Inst{31-26} = op;
  let Inst{25} = 1;
  let AsmString = asm;
}
class Short<bits<4> op, string asm> : Instruction {
  bits<16> Inst;
  let Size = 2;
  let Inst{15-12} = op;
  let Inst{11} = 0;
  let Inst{9} = 0;
  let AsmString = asm;
}
class InstAlias<string t, dag r> { string AsmString = t; dag ResultInst = r; int EmitPriority = 1; }
class CompressPat<dag i, dag o> { dag Input = i; dag Output = o; list<Predicate> Predicates = []; bit isCompressOnly = 0; }

def fast : SubtargetFeature<"fast">;
def faster : SubtargetFeature<"faster", [fast]>;
def HasFast : Predicate<(all_of fast)>;

foreach i = 0...15 in def R#i : Register<"r"#i, i>;
def Reg : RegisterClass<(sequence "R%u", 0, 15)>;
def Low : RegisterClass<(sequence "R%u", 8, 15)>;
def Simm : Operand<"decodeSimm<12>", "">;
def Away : Operand<"decodeAway", "">;
def Cond : Operand<"decodeCond", "printCond">;
def Mem : Operand<"decodeMem", "printMem">;
def Scale : Operand<"", "printScale">;
def Pair : Operand<"decodePair", "printPair">;

def ADD : Long<1, "add $d, $a, $b"> {
  bits<4> d; bits<4> a; bits<4> b;
  let Inst{24} = ?;
  let Inst{23-20} = d; let Inst{19-16} = a; let Inst{15-12} = b; let Inst{11-0} = 0;
  let OutOperandList = (outs Reg:$d); let InOperandList = (ins Reg:$a, Reg:$b);
}
def ADDI : Long<2, "addi $d, $a, $i"> {
  bits<4> d; bits<4> a; bits<12> i;
  let Inst{24} = 0;
  let Inst{23-20} = d; let Inst{19-16} = a; let Inst{11-0} = i; let Inst{15-12} = 0;
  let OutOperandList = (outs Reg:$d); let InOperandList = (ins Reg:$a, Simm:$i);
}
def LOAD : Long<3, "load$c $d, $m"> {
  bits<4> d; bits<16> m; bits<2> c;
  let Inst{24} = 1;
  let Inst{23-20} = d; let Inst{19-4} = m; let Inst{3-2} = c; let Inst{1-0} = 0;
  let OutOperandList = (outs Reg:$d); let InOperandList = (ins Mem:$m, Cond:$c);
}
def ACC : Long<4, "acc $d, $s"> {
  bits<4> d; bits<3> s;
  let Inst{24} = 0; let Inst{23-20} = d; let Inst{19-17} = s; let Inst{16-0} = 7;
  let OutOperandList = (outs Reg:$d); let InOperandList = (ins Reg:$x, Scale:$s); let Constraints = "$x = $d";
  let Predicates = [HasFast]; let DecoderNamespace = "Fast";
}
def JUMP : Long<5, "j$c $t"> {
  bits<20> t; bits<2> c;
  let Inst{24-22} = 0; let Inst{21-20} = c; let Inst{19-0} = t;
  let InOperandList = (ins Cond:$c, Away:$t); let isBranch = 1;
}
def PUSH : Long<6, "push $d, $m"> {
  bits<4> d; bits<12> m;
  let Inst{24} = 0; let Inst{23-20} = d; let Inst{19-8} = m; let Inst{7-0} = 0;
  let InOperandList = (ins Reg:$d, Pair:$m);
}
def C_ADD : Short<1, "c.add $d, $b"> {
  bits<4> d; bits<4> b;
  let Inst{10} = 0; let Inst{8} = 0; let Inst{7-4} = d; let Inst{3-0} = b;
  let OutOperandList = (outs Reg:$d); let InOperandList = (ins Reg:$a, Reg:$b); let Constraints = "$a = $d";
}
def C_LOW : Short<2, "c.low $d, $i"> {
  bits<3> d; bits<5> i;
  let Inst{10} = 1; let Inst{8} = 1; let Inst{7-5} = d; let Inst{4-0} = i;
  let OutOperandList = (outs Low:$d); let InOperandList = (ins Simm:$i);
}
def C_CALL : Short<3, "c.call $t"> {
  bits<9> t;
  let Inst{10} = t{8}; let Inst{8} = 0; let Inst{7-0} = t{7-0};
  let InOperandList = (ins Away:$t); let isCall = 1;
}
def : InstAlias<"move $d, $a", (ADDI Reg:$d, Reg:$a, 0)>;
def : InstAlias<"clear $d", (ADDI Reg:$d, R0, 0)>;
def : InstAlias<"twice $d, $a", (ADD Reg:$d, Reg:$a, Reg:$a)>;
def : CompressPat<(ADD Reg:$d, Reg:$d, Reg:$b), (C_ADD Reg:$d, Reg:$b)>;
