def X {
  bits<4> B = 17;
}
