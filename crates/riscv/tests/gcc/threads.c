// Variables that each thread has: with and without a first value, static and visible. Its finder of addresses is here, too.
struct index { unsigned long module, offset; };
static char block[256];
void *__tls_get_addr(struct index *i) { return block + i->offset + 0x800; }
__thread int visible = 7;
__thread long zero;
static __thread int hidden = 3;
static __thread short rest[4];
int bump(int n) { visible += n; hidden ^= visible; return hidden; }
long total(void) { long t = zero++; for (int i = 0; i < 4; i++) t += rest[i]; return t + visible; }
int *where(void) { return &hidden; }
void store(int i, short s) { rest[i & 3] = s; }
