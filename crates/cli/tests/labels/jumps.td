def outs; def ins; def sequence;
class Register<string n, bits<16> e> { string AsmName = n; bits<16> HWEncoding = e; }
class RegisterClass<dag l> { dag MemberList = l; int Size = 16; }
class Operand<string d> { string DecoderMethod = d; string PrintMethod = ""; }
class Instruction { bits<16> Inst; int Size = 2; dag OutOperandList = (outs); dag InOperandList = (ins);
  string AsmString = ""; bit isBranch = 0; bit isBarrier = 0; bit isCall = 0; bit isReturn = 0; }
foreach i = 0...7 in def R#i : Register<"r"#i, i>;
def Reg : RegisterClass<(sequence "R%u", 0, 7)>;
def Away : Operand<"decodeAway">;
def NOP : Instruction { let Inst = 0; let AsmString = "nop"; }
def RET : Instruction { let Inst = 1; let AsmString = "ret"; let isReturn = 1; }
class Jump<bits<5> op, string n> : Instruction { bits<3> r; bits<8> to; let Inst{15-11} = op; let Inst{10-8} = r;
  let Inst{7-0} = to; let InOperandList = (ins Reg:$r, Away:$to); let AsmString = n # " $r, $to"; }
def BZ : Jump<1, "bz"> { let isBranch = 1; }
def BA : Jump<2, "ba"> { let isBranch = 1; let isBarrier = 1; }
def CALL : Jump<3, "call"> { let isCall = 1; }
