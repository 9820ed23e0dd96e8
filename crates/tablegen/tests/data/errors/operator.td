def X {
  list<int> L = !listflaten([[1]]);
}
