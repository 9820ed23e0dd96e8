// Switches: dense ones with a table of jumps, sparse ones with comparisons, and one inside of a loop.
static int side(int x) __attribute__((noinline));
static int side(int x) { return x * 7 ^ 3; }
int dense(int op, int a, int b) {
  switch (op) {
  case 0: return a + b;
  case 1: return a - b;
  case 2: return a & b;
  case 3: return a | side(b);
  case 4: return a ^ b;
  case 5: return a << (b & 31);
  case 6: return a >> (b & 31);
  case 7: return side(a);
  case 8: return -a;
  case 9: return ~b + side(a);
  default: return 0;
  }
}
int sparse(int c) {
  switch (c) { case 1: return 10; case 100: return 20; case 10000: return side(1); case 1000000: return 40; case -5: return side(2); }
  return c;
}
int machine(const unsigned char *p, int n) {
  int acc = 0, state = 0;
  for (int i = 0; i < n; i++)
    switch (p[i]) {
    case '+': acc++; break;
    case ',': state = 1; break;
    case '-': acc--; break;
    case '.': state = 2; acc *= 3; break;
    case '/': acc = side(acc); break;
    case '0': case '1': case '2': case '3': acc = acc * 10 + p[i] - '0'; break;
    default: if (state == 2) return acc; state = 0;
    }
  return acc + state;
}
