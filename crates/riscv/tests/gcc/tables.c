// Static tables of every element width, and what is computed from them.
static const unsigned char bits[16] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
static const unsigned short crc[8] = {0, 0xc0c1, 0xc181, 0x0140, 0xc301, 0x03c0, 0x0280, 0xc241};
static const int primes[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29};
static long cache[32];
long visible[3] = {1, -2, 3};
int counts[100];
int ones(unsigned x) { int n = 0; for (; x; x >>= 4) n += bits[x & 15]; return n; }
unsigned sum(const unsigned char *p, int n) { unsigned c = 0; while (n--) c = c >> 3 ^ crc[(c ^ *p++) & 7]; return c; }
int is_prime(int n) { for (int i = 0; i < 10; i++) { if (primes[i] * primes[i] > n) return 1; if (n % primes[i] == 0) return 0; } return -1; }
long triangle(int n) { if (n <= 0 || n > 31) return 0; if (!cache[n]) cache[n] = n + triangle(n - 1); return cache[n]; }
void count(const signed char *p, int n) { for (int i = 0; i < n; i++) if (p[i] >= 0 && p[i] < 100) counts[(int)p[i]]++; }
long mix(int i) { return visible[i % 3] + cache[i & 31] + counts[i % 100]; }
