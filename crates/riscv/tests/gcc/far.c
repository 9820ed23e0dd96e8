// Branches that do not reach: over more than 4 KiB, over less, and over some 256 bytes, where the short ones end.
volatile int port;
#define W(n) port = n; port += n + 1; port ^= n + 2; port = port * 3 + n;
#define W4(n) W(n) W(n + 10) W(n + 20) W(n + 30)
#define W16(n) W4(n) W4(n + 100) W4(n + 200) W4(n + 300)
#define W64(n) W16(n) W16(n + 1000) W16(n + 2000) W16(n + 3000)
int over(int a, int b) { if (a) { W64(1) } if (b < a) { W64(5) } if (b == 3) { W16(9) } return a - b; }
int loop(int n, int m) { int t = 0; while (n-- > m) { W64(n) t += n; if (t > 1000) break; if (t == m) continue; W16(t) } return t; }
int near(int a, int b) { if (a != 0) { W(1) W(2) W(3) } if (b != 0) { W(1) W(2) W(3) port = a; } if (a == 7) { W4(1) } return a; }
int edge(int n) { do { W4(0) port = 1; if (port) { W4(2) } } while (port != n); for (; n; n--) { W4(4) W(3) } return n; }
int both(unsigned a, unsigned b) { if (a < b) { W64(2) W16(3) } else { W64(3) } if (a >= 100 || b <= 5) { W64(7) } return 0; }
