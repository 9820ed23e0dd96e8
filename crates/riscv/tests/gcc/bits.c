// Bit operations: rotations, population counts, byte orders, masks, sign extensions.
unsigned rotate(unsigned x, int n) { return x << (n & 31) | x >> (-n & 31); }
unsigned swap(unsigned x) { return x >> 24 | (x >> 8 & 0xff00) | (x << 8 & 0xff0000) | x << 24; }
unsigned reverse(unsigned x) { x = (x >> 1 & 0x55555555) | (x & 0x55555555) << 1; x = (x >> 2 & 0x33333333) | (x & 0x33333333) << 2; x = (x >> 4 & 0x0f0f0f0f) | (x & 0x0f0f0f0f) << 4; return swap(x); }
int leading(unsigned x) { int n = 32; while (x) { x >>= 1; n--; } return n; }
int log2_floor(unsigned x) { int r = 0; if (x >> 16) { r += 16; x >>= 16; } if (x >> 8) { r += 8; x >>= 8; } if (x >> 4) { r += 4; x >>= 4; } if (x >> 2) { r += 2; x >>= 2; } return r + (x >> 1); }
int sext(int x, int bits) { int s = 32 - bits; return x << s >> s; }
unsigned field(unsigned x, int lo, int width) { return x >> lo & ((1u << width) - 1); }
unsigned merge(unsigned a, unsigned b, unsigned m) { return a ^ ((a ^ b) & m); }
int parity(unsigned x) { x ^= x >> 16; x ^= x >> 8; x ^= x >> 4; return 0x6996 >> (x & 15) & 1; }
unsigned char narrow(int x) { return (unsigned char)(x * 3 >> 2); }
short half(long x) { return (short)(x >> 7); }
int sign(int x) { return (x > 0) - (x < 0); }
unsigned gray(unsigned x) { return x ^ x >> 1; }
