/* What a C library does by semihosting: output, files, memory, floating point, arguments, the exit code. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    printf("%d arguments, the last is %s\n", argc, argv[argc - 1]);
    printf("%d %s %.3f %g %e\n", 42, "text", 1.5, sqrt(2), exp(1));
    FILE *file = fopen("lines.txt", "w");
    if (!file)
        return 3;
    for (int i = 0; i < 100; i++)
        fprintf(file, "line %d\n", i);
    fclose(file);
    file = fopen("lines.txt", "a");
    fputs("more\n", file);
    fclose(file);
    file = fopen("lines.txt", "r");
    char line[64];
    int count = 0;
    while (fgets(line, sizeof line, file))
        count++;
    printf("%d lines, the last is %s", count, line);
    fseek(file, 50, SEEK_SET);
    fgets(line, sizeof line, file);
    printf("at 50: %s", line);
    fclose(file);
    printf("missing: %d\n", fopen("missing.txt", "r") == NULL);
    remove("lines.txt");
    printf("gone: %d\n", fopen("lines.txt", "r") == NULL);
    char *all = malloc(100000);
    memset(all, 7, 100000);
    int sum = 0;
    for (int i = 0; i < 100000; i++)
        sum += all[i];
    printf("%d\n", sum);
    free(all);
    fprintf(stderr, "to standard error\n");
    exit(5);
}
