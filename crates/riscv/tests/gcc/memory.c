// Moves of memory by bytes and words, compares, a ring buffer, overlapping moves.
typedef unsigned long word;
void *copy(void *to, const void *from, unsigned long n) { char *t = to; const char *f = from; if (((word)t & (word)f & (sizeof(word) - 1)) == 0) for (; n >= sizeof(word); n -= sizeof(word), t += sizeof(word), f += sizeof(word)) *(word *)t = *(const word *)f; while (n--) *t++ = *f++; return to; }
void *move(char *to, const char *from, unsigned long n) { if (to < from) for (unsigned long i = 0; i < n; i++) to[i] = from[i]; else while (n--) to[n] = from[n]; return to; }
int compare(const unsigned char *a, const unsigned char *b, unsigned long n) { for (; n; n--, a++, b++) if (*a != *b) return *a - *b; return 0; }
static unsigned char ring[64]; static unsigned head, tail;
int put(int c) { if (head - tail == 64) return -1; ring[head++ & 63] = (unsigned char)c; return 0; }
int get(void) { return head == tail ? -1 : ring[tail++ & 63]; }
unsigned short swab(const unsigned short *p, int n) { unsigned short x = 0; for (int i = 0; i < n; i++) x ^= (unsigned short)(p[i] << 8 | p[i] >> 8); return x; }
