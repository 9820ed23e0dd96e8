// Functions and loops that are aligned, and objects that are.
__attribute__((aligned(64))) int first(int x) { return x + 1; }
__attribute__((aligned(8))) int second(int x) { return x ? x * 2 : first(x); }
_Alignas(32) char block[5] = "abcd"; _Alignas(16) static int zero[3]; char odd = 1; _Alignas(64) const short table[] = {1, 2, 3};
__attribute__((optimize("align-loops=16"))) int loop(const int *p, int n) { int s = 0; for (int i = 0; i < n; i++) { if (p[i] < 0) continue; s += p[i]; } for (int i = n; i > 0; i--) s ^= p[i]; return s; }
__attribute__((aligned(16))) int third(int i) { zero[i] = table[i & 1]; return block[i] + odd; }
__attribute__((optimize("align-jumps=8"))) int jumps(int a, int b) { if (a > b) { while (a % 3) a++; return a; } if (b > 100) return third(b & 1); return second(a); }
