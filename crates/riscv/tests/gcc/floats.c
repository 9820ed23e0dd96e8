// for: rv64gc rv64g
// Floating point: both widths, conversions, comparisons, fused operations, polynomials.
float scale(float x, float y) { return x * 1.5f + y; }
double poly(double x) { return ((0.25 * x - 1.5) * x + 3.0) * x + 0x1p-3; }
int trunc_of(double x) { return (int)x; }
unsigned long ulong_of(float x) { return (unsigned long)x; }
float mean(const float *p, int n) { float s = 0; for (int i = 0; i < n; i++) s += p[i]; return n ? s / n : 0; }
double root(double x) { double r = x / 2; for (int i = 0; i < 30; i++) { double n = (r + x / r) / 2; if (n == r) break; r = n; } return r; }
int order(double a, double b) { return a < b ? -1 : a > b ? 1 : a == b ? 0 : 2; }
double sign(double a, double b) { return __builtin_copysign(a, b) + __builtin_fabs(b); }
float mixed(int i, long l, double d) { return (float)(i * 0.5 + l + d); }
void matrix(double a[3][3], const double b[3][3]) { for (int i = 0; i < 3; i++) for (int j = 0; j < 3; j++) { double t = 0; for (int k = 0; k < 3; k++) t += b[i][k] * b[k][j]; a[i][j] = t; } }
int is_nan(float x) { return x != x; }
double pick(int n) { static const double t[] = {1.0, -2.5, 3e100, 1e-300}; return t[n & 3]; }
struct point { float x, y; };
struct point rotate(struct point p) { struct point q = {-p.y, p.x}; return q; }
