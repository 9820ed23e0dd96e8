// Constants of every shape.
long constant(int n) { switch (n) { case 0: return 0; case 1: return -1; case 2: return 2047; case 3: return 2048; case 4: return -2048; case 5: return -2049; case 6: return 0x12345; case 7: return 0x7fffffff; case 8: return -0x7fffffff - 1; case 9: return 0x1000; case 10: return 0xfff; case 11: return 0x1f000; case 12: return 0x20000; case 13: return -4096; } return 0x55555; }
unsigned mask(unsigned x, int n) { if (n == 1) return x & 0xff00ff00; if (n == 2) return x | 0x80000000; if (n == 3) return x ^ 0xfffff000; return x + 0xdeadbeef; }
unsigned long large(int n) { return n == 0 ? 0x1234567u : n == 1 ? 0xffffu : n == 2 ? 0x10001u : 31; }
int times(int x, int n) { switch (n) { case 3: return x * 3; case 5: return x * 5; case 7: return x * 7; case 10: return x * 10; case 100: return x * 100; case 1000: return x * 1000; } return x / 7 + x / 10 + x % 3; }
int stack(int n) { volatile char room[3000]; for (int i = 0; i < 3000; i += 7) room[i] = (char)n; return room[n & 2047]; }
int deep(int n) { volatile int room[20000]; room[n & 16383] = 1; return room[19999] + room[5]; }
