// Addresses of labels, computed jumps, an interpreter.
int run(const unsigned char *code, int x) {
  static void *const table[] = {&&halt, &&inc, &&dec, &&dbl, &&skip, &&loop};
  const unsigned char *pc = code;
  int n = 0;
  goto *table[*pc++ % 6];
inc: x++; goto *table[*pc++ % 6];
dec: x--; goto *table[*pc++ % 6];
dbl: x *= 2; goto *table[*pc++ % 6];
skip: pc += *pc; goto *table[*pc++ % 6];
loop: if (++n < 10 && x) pc = code; goto *table[*pc++ % 6];
halt: return x;
}
int jump(int n) { void *t = n ? &&a : &&b; goto *t; a: return n * 3; b: return -1; }
