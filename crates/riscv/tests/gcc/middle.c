// Forward and backward branches near the ends of what the short forms reach, so that one length changes others.
volatile short v;
#define A v = 1;
#define A2 A A
#define A4 A2 A2
#define A8 A4 A4
#define A16 A8 A8
#define A32 A16 A16
int one(int a, int b, int c) { if (a) { A16 A8 if (b) { A16 A4 } A2 } if (c) { A32 A8 A4 A2 A } return a; }
int two(int n) { do { A32 if (n & 1) { A8 } A8 A4 if (n & 2) { A8 A } A2 } while (--n); return v; }
int three(int a, int b, int c, int d) { if (a) { if (b) { if (c) { if (d) { A32 A8 } A2 } A8 } A4 } A2 if (b) { A32 A16 } if (c) { A32 A16 A } if (d) { A32 A16 A2 } return b; }
int four(int n) { for (int i = 0; i < n; i++) { if (i == 3) { A32 A8 A8 continue; } if (i == 4) { A32 A8 A4 break; } A32 A4 } A8 return n; }
