/* Floating point through a whole C library: numbers as text and back, functions, rounding modes and flags. */
#include <errno.h>
#include <fenv.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double NUMBERS[] = {
    0.0, -0.0, 1.0, -1.5, 0.1, 1.0 / 3.0, 2.5, 3.5, 1e22, 1e23, 6.02214076e23, 1.7976931348623157e308, 2.2250738585072014e-308,
    4.9406564584124654e-324, 3.141592653589793, -2.718281828459045, 123456789.123456789, 9007199254740993.0, 1e-7,
};
#define COUNT (sizeof NUMBERS / sizeof *NUMBERS)

static void flags(const char *what)
{
    printf("%s:%s%s%s%s%s\n", what, fetestexcept(FE_INEXACT) ? " inexact" : "", fetestexcept(FE_UNDERFLOW) ? " underflow" : "",
           fetestexcept(FE_OVERFLOW) ? " overflow" : "", fetestexcept(FE_DIVBYZERO) ? " by-zero" : "",
           fetestexcept(FE_INVALID) ? " invalid" : "");
    feclearexcept(FE_ALL_EXCEPT);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    for (size_t n = 0; n < COUNT; n++) {
        double x = NUMBERS[n];
        char text[64];
        snprintf(text, sizeof text, "%.17g", x);
        printf("%g %e %f %a %.3f %10.4g| %s\n", x, x, x < 1e15 ? x : 0.0, x, x < 1e15 ? x : 0.0, x, strtod(text, 0) == x ? "back" : "lost");
        float f = (float)x;
        printf("  %.9g %d %d %s\n", f, ilogb(x), fpclassify(x), signbit(x) ? "-" : "+");
    }
    for (int n = 1; n < 12; n++) {
        double x = n * 0.37;
        printf("%.17g %.17g %.17g %.17g %.17g\n", sin(x), exp(x), log(x), pow(x, 1.7), atan2(x, 2.0));
        printf("%.17g %.17g %.9g %.17g %.17g\n", sqrt(x), cbrt(x), sqrtf((float)x), fma(x, x, -1.0), fmod(x, 0.3));
        printf("%.0f %.0f %.0f %.0f %ld %lld %.17g\n", floor(x), ceil(x), trunc(x), round(-x), lrint(x), llround(x * 1e6), hypot(x, 1.0));
    }
    static const int MODES[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    for (int m = 0; m < 4; m++) {
        fesetround(MODES[m]);
        volatile double a = 1.0, b = 3.0, c = -2.0, tiny = 1e-310, big = 1e308;
        printf("%d: %.17g %.17g %.17g %.17g", m, a / b, c / b, tiny / b, big * b);
        printf(" %ld %ld %.1f %.1f\n", lrint(2.5), lrint(-2.5), nearbyint(0.5), rint(-1.5));
        printf("%d: %.17g %.20g\n", m, strtod("0.1", 0), 0.1);
    }
    fesetround(FE_TONEAREST);
    feclearexcept(FE_ALL_EXCEPT);
    volatile double zero = 0.0, one = 1.0, huge = DBL_MAX, small = DBL_MIN, minus = -1.0, result;
    result = one / zero;
    flags("1/0");
    result = zero / zero;
    flags("0/0");
    result = huge * huge;
    flags("huge");
    result = small * small;
    flags("small");
    result = one / 3.0;
    flags("third");
    result = sqrt(minus);
    flags("root");
    result = one + one;
    flags("two");
    int whole = (int)(volatile double){1e10};
    flags("cast");
    printf("%d %d %d\n", isnan(result), whole == 0x7fffffff, isnan(zero / zero));
    printf("%g %g %g\n", fmin(NAN, 1.0), fmax(-0.0, 0.0), fmin(-0.0, 0.0));
    double sorted[64];
    unsigned seed = 1;
    for (int n = 0; n < 64; n++) {
        seed = seed * 1103515245u + 12345u;
        sorted[n] = ((int)(seed >> 8) % 2000 - 1000) / 7.0;
    }
    qsort(sorted, 64, sizeof *sorted, ascending);
    double sum = 0;
    for (int n = 0; n < 64; n++)
        sum += sorted[n] * n;
    printf("%.6f %.6f %.17g\n", sorted[0], sorted[63], sum);
    errno = 0;
    double parsed = strtod("1e999", 0);
    printf("%g %d %s\n", parsed, errno == ERANGE, strerror(errno));
    printf("%Lg %.30Lg\n", (long double)1 / 3, sqrtl(2.0L));
    for (int n = 1; n < argc; n++)
        printf("%s: %s\n", argv[n], getenv("NAME") ? getenv("NAME") : "-");
    char line[128];
    while (fgets(line, sizeof line, stdin))
        printf("read %zu: %s", strlen(line), line);
    return (int)lround(sum) & 0x3f;
}
