// Each statement is wrong in its own way.
class Inst<int size, string name = ""> {
  int Size = size;
  string Name = name;
  assert !ge(Size, 2), "an instruction has at least two bytes";
}
def A : Inst<4> { let Sise = 2; }
def B : Inst<4, nane = "b">;
def C : Inzt<4>;
def D : Inst<1>;
