// An instruction with a fixed part and an operand.
class Enc<bits<3> opcode> {
  bits<8> Encoding;
  bits<3> Operand;
  let Encoding{0} = opcode{2};
  let Encoding{3-1} = Operand;
  let Encoding{5-4} = opcode{1-0};
  let Encoding{7-6} = { 1, 0 };
}
def InstA : Enc<5>;
def InstB : Enc<0b010> {
  let Operand = 7;
}
