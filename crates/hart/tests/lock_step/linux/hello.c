/* What the library of C does before and after a program, and how it prints. */
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

int main(int argc, char **argv) {
    setlocale(LC_ALL, "");
    printf("hello, %s and %d more\n", argv[1], argc - 2);
    const char *names[] = {"pear", "apple", "quince", "fig", "plum"};
    qsort(names, 5, sizeof *names, compare);
    for (int i = 0; i < 5; i++) printf("%d %-8s|%8.3f|%g|%a\n", i, names[i], sqrt(i + 0.5), exp(i), sin(i));
    char *text = malloc(1000);
    memset(text, 'x', 999);
    text[999] = 0;
    char *more = realloc(text, 100000);
    printf("%zu %ld %.3f %s\n", strlen(more), strtol("-123456789012", 0, 10), strtod("2.5e-3", 0), strstr("needle in hay", "in"));
    free(more);
    return fflush(stdout);
}
