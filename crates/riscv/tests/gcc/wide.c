// Arithmetic of 64 bits, with the helpers that a 32-bit machine needs for it.
typedef unsigned long long u64; typedef long long i64;
#if __riscv_xlen == 32
u64 __udivdi3(u64 n, u64 d) { u64 q = 0, r = 0; for (int i = 63; i >= 0; i--) { r = r << 1 | (n >> i & 1); if (r >= d) { r -= d; q |= 1ull << i; } } return q; }
i64 __divdi3(i64 n, i64 d) { u64 q = __udivdi3(n < 0 ? -(u64)n : (u64)n, d < 0 ? -(u64)d : (u64)d); return (n < 0) != (d < 0) ? -(i64)q : (i64)q; }
u64 __umoddi3(u64 n, u64 d) { return n - __udivdi3(n, d) * d; }
u64 __ashldi3(u64 x, int n) { unsigned lo = (unsigned)x, hi = (unsigned)(x >> 32); return n >= 32 ? (u64)(lo << (n - 32)) << 32 : n ? (u64)(hi << n | lo >> (32 - n)) << 32 | lo << n : x; }
u64 __lshrdi3(u64 x, int n) { unsigned lo = (unsigned)x, hi = (unsigned)(x >> 32); return n >= 32 ? hi >> (n - 32) : n ? (u64)(hi >> n) << 32 | (lo >> n | hi << (32 - n)) : x; }
#endif
u64 add(u64 a, u64 b) { return a + b; }
i64 mul(i64 a, i64 b) { return a * b; }
u64 divide(u64 a, u64 b) { return b ? a / b : 0; }
i64 quotient(i64 a, i64 b) { return a / (b | 1); }
u64 rest(u64 a) { return a % 1000000007u; }
u64 shift(u64 a, int n) { return a << (n & 63) ^ a >> (-n & 63); }
int less(i64 a, i64 b) { return a < b ? -1 : a > b; }
u64 square_mod(u64 x) { u64 r = 1; for (int i = 0; i < 20; i++) r = r * x % 998244353; return r; }
u64 constant(int n) { switch (n) { case 0: return 0x123456789abcdef0; case 1: return -5; case 2: return 0xffffffff00000000; case 3: return 1ull << 40; case 4: return 0x7ffff800; } return 0x8000000000000000; }
