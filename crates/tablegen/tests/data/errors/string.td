def X {
  string S = "abc;
}
