// Calls: many arguments, results in two registers, tail calls, calls from nested expressions, aliases and weak functions.
int many(int a, int b, int c, int d, int e, int f, int g, int h, int i, int j) __attribute__((noinline));
int many(int a, int b, int c, int d, int e, int f, int g, int h, int i, int j) { return a + 2 * b - c + d * e - f + g * h - i * j; }
int use(int x) { return many(x, 1, 2, 3, 4, 5, 6, 7, 8, x) + many(1, x, 1, x, 1, x, 1, x, 1, x); }
struct pair { long a, b; };
struct pair both(long x) __attribute__((noinline)); struct pair both(long x) { struct pair p = {x, -x}; return p; }
long of_both(long x) { struct pair p = both(x); return p.a * 3 + p.b; }
__attribute__((weak)) int soft(int x) { return x - 1; }
int tail(int x) { return soft(x + 5); }
int other(int x) __attribute__((alias("use")));
int through(int x) { return x > 3 ? other(x) : soft(x); }
static int leaf(int x) __attribute__((noinline)); static int leaf(int x) { return x * x; }
int nest(int x) { return leaf(leaf(x) + leaf(leaf(x - 1) - 3)); }
__attribute__((noreturn)) void stop(void) { for (;;) {} }
int checked(int x) { if (x < 0) stop(); return leaf(x); }
