// What LLVM 19 and the newest TableGen fold and print in other ways.
def op;
class Masked<string name> {
  bit Both = !and(0, !not(!ne(!find(name, "x"), -1)));
  int Either = !or(-1, !ne(!find(name, "x"), -1));
}
def X : Masked<"axb"> {
  dag Named = (op:$it 1, 2);
}
