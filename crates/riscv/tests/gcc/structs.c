// Structures: fields of all widths, by value and by address, bit fields, unions, nested arrays.
struct small { char a; short b; };
struct big { int id; struct small s[3]; long total; unsigned char flags : 3, mode : 5; union { int i; unsigned char b[4]; } u; };
static struct big table[5] = {{1, {{1, 2}, {3, 4}, {5, 6}}, 100, 1, 2, {7}}, {2, {{0, 0}}, -1, 7, 31, {-1}}};
struct big global;
static int weigh(const struct big *b) __attribute__((noinline));
static int weigh(const struct big *b) { int t = b->id; for (int i = 0; i < 3; i++) t += b->s[i].a * b->s[i].b; return t + b->flags * b->mode; }
int all(void) { int t = 0; for (int i = 0; i < 5; i++) t += weigh(&table[i]); return t; }
struct small swap(struct small x) { struct small y = {(char)x.b, x.a}; return y; }
void set(int n) { global.id = n; global.flags = n; global.mode = n >> 3; global.u.i = ~n; global.total += n; }
struct big make(int n) { struct big b = global; b.id = n; b.s[1].b = (short)n; return b; }
int bytes(int n) { union { int i; unsigned char b[4]; } u; u.i = n; return u.b[0] * u.b[3] - u.b[1]; }
long use(void) { struct big b = make(4); return b.total + weigh(&b); }
