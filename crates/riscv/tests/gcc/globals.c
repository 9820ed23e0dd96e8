// Globals of all kinds: small and large, with and without values, pointers to each other.
int a, b = 1; static int c, d = 2; char e[3], f[] = "xyz"; static short g[7]; long h[20]; const int i = 5; static const long j[2] = {3, 4};
int *pa = &a, *pd = &d; char *pf = f + 1; const char *text = "text"; long *ph = &h[3]; int **ppa = &pa;
int sum(void) { return a + b + c + d + e[1] + f[2] + g[3] + (int)h[4] + i + (int)j[1]; }
void set(int n) { a = n; b += n; c = -n; d ^= n; e[2] = (char)n; g[6] = (short)n; h[19] = n; *pa = 3; *pd += 1; **ppa += 2; }
int chars(void) { return *pf + text[2] + *ph; }
int *choose(int n) { return n ? &a : n < -3 ? &d : pa; }
long walk(void) { long s = 0; for (long *p = h; p < h + 20; p++) s += *p; return s; }
