// Operators that LLVM 19 does not have.
class T;
def X : T;
def Y : T;
def Use {
  list<int> Flat = !listflatten([[1, 2], [3]]);
  list<T> All = !instances<T>();
}
