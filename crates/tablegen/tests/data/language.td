// A little of everything.
class Base<int n, string s = "none"> {
  int N = n;
  string S = s # "_" # n;
  code C = [{ return 1; }];
  bit Small = !lt(n, 8);
  list<int> Down = !foreach(i, !range(n), !sub(n, i));
  field int Open = ?;
}
class Pair<Base a, Base b> {
  Base A = a;
  Base B = b;
  int Sum = !add(A.N, B.N);
  assert !ge(Sum, 0), "sums are not negative";
}
def op;
def One : Base<1>;
def Two : Base<2, s = "two">;
def Both : Pair<One, Base<40, "forty">> {
  dag D = (op One:$x, Two:$y, 5);
  list<string> Names = !foreach(b, [One, Two], b.S);
  int Total = !foldl(0, [1, 2, 3], acc, i, !add(acc, i));
  string Kind = !cond(!gt(Sum, 100): "large", !gt(Sum, 10): "middle", true: "small");
  bits<8> Mask = { 1, 0, 0b11, ?, 0, 1, 0 };
}
defvar big = !shl(1, 40);
if !eq(big, 1099511627776) then {
  def Big { int V = big; list<int> L = !filter(x, [1, 2, 3, 4], !and(x, 1)); }
} else {
  def NotBig;
}
defset list<Base> All = {
  foreach i = [3, 4] in
    def Num#i : Base<i>;
}
let N = 99 in
def Let : Base<0> { list<Base> Of = All; }
def : Base<5>;
