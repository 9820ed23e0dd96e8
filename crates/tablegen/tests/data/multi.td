// Multiclasses within multiclasses.
class Inst<int op, string name> {
  bits<16> Inst;
  bits<4> rd;
  let Inst{15-12} = op;
  let Inst{3-0} = rd;
  string Asm = !tolower(name);
}
class Extra { int Cost = 1; }
multiclass Sizes<int op> {
  foreach w = [8, 16] in
    def _#w : Inst<op, NAME # w>;
  if !ge(op, 6) then
    def _wide : Inst<op, NAME # "W"> { int Wide = 1; }
}
multiclass Twice<int op> {
  defm "" : Sizes<op>;
  defm _x : Sizes<!add(op, 1)>, Extra;
}
let rd = 5 in
defm ADD : Twice<5>;
defm : Sizes<7>;
