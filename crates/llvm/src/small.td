// A description with a little of everything, for fuzzing.
class Instruction { bits<16> Inst; int Size = 2; dag OutOperandList; dag InOperandList; string AsmString = "";
  string Constraints = ""; string DecoderMethod = ""; string DecoderNamespace = ""; }
class Register<string n, bits<16> e> { string AsmName = n; bits<16> HWEncoding = e; }
class RegisterClass<dag l> { dag MemberList = l; int Size = 16; string DecoderMethod = ""; }
class Operand<string d, string p> { string DecoderMethod = d; string PrintMethod = p; }
def outs; def ins; def sequence; def add;
foreach i = 0...7 in def R#i : Register<"r"#i, i>;
def G : RegisterClass<(sequence "R%u", 0, 7)>;
def imm : Operand<"decode<4>", "print">;
def ADD : Instruction { bits<3> a; bits<3> b; let Inst{15-6} = 5; let Inst{5-3} = a; let Inst{2-0} = b;
  let OutOperandList = (outs G:$a); let InOperandList = (ins G:$b); let AsmString = "add $a, $b"; }
def SET : Instruction { bits<3> a; bits<8> i; let Inst{15-11} = 9; let Inst{10-8} = a; let Inst{7-0} = i;
  let OutOperandList = (outs G:$a); let InOperandList = (ins imm:$i); let AsmString = "set $a, $i"; }
