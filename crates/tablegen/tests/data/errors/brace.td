class Base {
  int Size = 4;
}
def First : Base {
  let Size = 8;

def Second : Base;
