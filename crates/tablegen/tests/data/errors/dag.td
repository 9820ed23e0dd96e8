def op;
def X {
  dag D = (op 1, 2;
}
