def op;
def X {
  dag D = !setop((op 1), op);
}
