// Arguments without a number: sums, and a small formatter.
typedef __builtin_va_list va;
static char out[128];
static int at;
static void put(char c) __attribute__((noinline));
static void put(char c) { if (at < 127) out[at++] = c; }
static void number(long n, unsigned base) { char d[24]; int k = 0; unsigned long u = n < 0 ? put('-'), -(unsigned long)n : (unsigned long)n; do { d[k++] = "0123456789abcdef"[u & (base - 1)]; u >>= base == 16 ? 4 : 3; } while (u); while (k) put(d[--k]); }
int sum(int n, ...) { va v; __builtin_va_start(v, n); int s = 0; while (n-- > 0) s += __builtin_va_arg(v, int); __builtin_va_end(v); return s; }
int format(const char *f, ...) {
  va v; __builtin_va_start(v, f);
  for (at = 0; *f; f++) {
    if (*f != '%') { put(*f); continue; }
    switch (*++f) { case 'x': number(__builtin_va_arg(v, int), 16); break; case 'o': number(__builtin_va_arg(v, long), 8); break; case 's': for (const char *s = __builtin_va_arg(v, const char *); *s; s++) put(*s); break; case 'c': put((char)__builtin_va_arg(v, int)); break; default: put(*f); }
  }
  __builtin_va_end(v);
  return at;
}
int use(void) { return sum(9, 1, 2, 3, 4, 5, 6, 7, 8, 9) + format("%x %s%c %o", 255, "ab", 'z', 8L); }
