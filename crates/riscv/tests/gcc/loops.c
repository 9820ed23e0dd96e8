// Loops of every kind, nested, with early exits.
int sum(const int *a, int n) { int s = 0; for (int i = 0; i < n; i++) s += a[i]; return s; }
unsigned collatz(unsigned n) { unsigned steps = 0; while (n != 1) { n = n & 1 ? 3 * n + 1 : n / 2; if (++steps > 500) break; } return steps; }
int find(const short *a, int n, int x) { do { if (a[--n] == x) return n; } while (n > 0); return -1; }
long grid(long (*m)[8], int n) {
  long best = -1;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 8; j++) { if (m[i][j] < 0) continue; if (m[i][j] > best) best = m[i][j]; if (best > 1000) return best; }
  return best;
}
void fill(char *p, char c, unsigned long n) { for (; n; n--) *p++ = c; }
void reverse(unsigned char *p, int n) { for (int i = 0, j = n - 1; i < j; i++, j--) { unsigned char t = p[i]; p[i] = p[j]; p[j] = t; } }
