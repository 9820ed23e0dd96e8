/* Kernels of double and single precision, each with a sum of its results. */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define N 24

static double a[N][N], b[N], x[N];

static double random_number(void)
{
    static unsigned long long seed = 88172645463325252ull;
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (double)(seed >> 11) / 9007199254740992.0;
}

/* Gaussian elimination with pivots. */
static double solve(void)
{
    for (int i = 0; i < N; i++) {
        b[i] = random_number();
        for (int j = 0; j < N; j++)
            a[i][j] = random_number() - 0.5;
    }
    for (int k = 0; k < N; k++) {
        int pivot = k;
        for (int i = k + 1; i < N; i++)
            if (fabs(a[i][k]) > fabs(a[pivot][k]))
                pivot = i;
        for (int j = 0; j < N; j++) {
            double t = a[k][j];
            a[k][j] = a[pivot][j];
            a[pivot][j] = t;
        }
        double t = b[k];
        b[k] = b[pivot];
        b[pivot] = t;
        for (int i = k + 1; i < N; i++) {
            double f = a[i][k] / a[k][k];
            for (int j = k; j < N; j++)
                a[i][j] -= f * a[k][j];
            b[i] -= f * b[k];
        }
    }
    double sum = 0;
    for (int i = N - 1; i >= 0; i--) {
        x[i] = b[i];
        for (int j = i + 1; j < N; j++)
            x[i] -= a[i][j] * x[j];
        x[i] /= a[i][i];
        sum += x[i];
    }
    return sum;
}

static float product(void)
{
    static float p[N][N], q[N][N];
    float sum = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            p[i][j] = (float)random_number();
            q[i][j] = (float)(i - j) / 7;
        }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            float s = 0;
            for (int k = 0; k < N; k++)
                s += p[i][k] * q[k][j];
            sum = sum * 0.99f + s;
        }
    return sum;
}

static int mandelbrot(void)
{
    int inside = 0;
    for (int row = 0; row < 20; row++)
        for (int column = 0; column < 40; column++) {
            double complex c = (column - 28) / 14.0 + (row - 10) / 9.0 * I, z = 0;
            int n = 0;
            while (n < 60 && cabs(z) < 2) {
                z = z * z + c;
                n++;
            }
            inside += n;
        }
    return inside;
}

/* A pendulum by Runge and Kutta. */
static double pendulum(void)
{
    double angle = 1, speed = 0, h = 0.01;
    for (int n = 0; n < 500; n++) {
        double k1 = -sin(angle), k2 = -sin(angle + h / 2 * speed), k3 = -sin(angle + h / 2 * (speed + h / 2 * k1));
        double k4 = -sin(angle + h * (speed + h / 2 * k2));
        angle += h * speed + h * h / 6 * (k1 + k2 + k3);
        speed += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    }
    return angle;
}

int main(void)
{
    printf("%.17g\n", solve());
    printf("%.9g\n", product());
    printf("%d\n", mandelbrot());
    printf("%.17g\n", pendulum());
    double *many = malloc(100000 * sizeof *many), sum = 0;
    for (int n = 0; n < 100000; n++)
        many[n] = (n % 7 - 3) / (n + 1.0);
    for (int n = 0; n < 100000; n += 3)
        sum += many[n];
    printf("%.17g\n", sum);
    free(many);
    return 3;
}
