/* Files, folders and standard output, through the C library. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <utime.h>

static int by_number(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static int seen(const struct dirent *entry) { return entry->d_name[0] != '.'; }

static void list(const char *path)
{
    struct dirent **names;
    int count = scandir(path, &names, seen, alphasort);
    printf("%s: %d\n", path, count);
    for (int i = 0; i < count; i++) {
        char whole[300];
        struct stat status;
        snprintf(whole, sizeof whole, "%s/%s", path, names[i]->d_name);
        if (stat(whole, &status) == 0)
            printf("  %s %o %s\n", names[i]->d_name, status.st_mode, names[i]->d_type == DT_DIR ? "folder" : "file");
    }
}

int main(void)
{
    umask(022);
    mkdir("tree", 0755);
    mkdir("tree/branch", 0700);
    for (int i = 0; i < 300; i++) {
        char path[40];
        snprintf(path, sizeof path, "tree/branch/leaf%03d", i);
        FILE *file = fopen(path, "w");
        fprintf(file, "%d\n", i * i);
        fclose(file);
    }
    list("tree");
    list("tree/branch");
    chmod("tree/branch/leaf007", 0751);
    printf("%d %d\n", access("tree/branch/leaf007", X_OK), access("tree/branch/leaf008", X_OK));
    printf("%d %d\n", access("tree/none", F_OK), errno);

    struct utimbuf times = {1000, 987654321};
    struct stat status;
    utime("tree/branch/leaf007", &times);
    stat("tree/branch/leaf007", &status);
    printf("%ld %s", (long)status.st_mtime, asctime(gmtime(&status.st_mtime)));

    chdir("tree/branch");
    char *here = getcwd(NULL, 0), *real = realpath("../branch/./leaf011", NULL);
    printf("%s %s\n", strrchr(here, '/'), real ? strrchr(real, '/') : "none");
    for (int i = 0; i < 300; i++) {
        char path[40];
        snprintf(path, sizeof path, "leaf%03d", i);
        remove(path);
    }
    chdir("../..");
    list("tree/branch");
    printf("%d %d\n", remove("tree"), errno == ENOTEMPTY);
    printf("%d %d\n", remove("tree/branch"), remove("tree"));

    FILE *scratch = tmpfile();
    printf("%d\n", scratch != NULL || errno != 0);
    FILE *file = fopen("lines", "w+");
    for (int i = 0; i < 5000; i++)
        fprintf(file, "line %d of many\n", i);
    fseek(file, -20, SEEK_END);
    char line[80];
    while (fgets(line, sizeof line, file))
        fputs(line, stdout);
    rewind(file);
    printf("%s", fgets(line, sizeof line, file));
    fclose(file);

    int ends[2];
    pipe(ends);
    write(ends[1], "a pipe\n", 7);
    close(ends[1]);
    FILE *reader = fdopen(ends[0], "r");
    while (fgets(line, sizeof line, reader))
        fputs(line, stdout);
    fclose(reader);

    fflush(stdout);
    int console = dup(1);
    freopen("captured", "w", stdout);
    printf("captured line\n");
    fflush(stdout);
    dup2(console, 1);
    file = fopen("captured", "r");
    fgets(line, sizeof line, file);
    fprintf(stdout, "%s", line);

    int *numbers = malloc(100000 * sizeof *numbers);
    unsigned seed = 1;
    for (int i = 0; i < 100000; i++)
        numbers[i] = (int)((seed = seed * 1664525 + 1013904223) >> 8);
    qsort(numbers, 100000, sizeof *numbers, by_number);
    printf("%d %d %d\n", numbers[0], numbers[50000], numbers[99999]);
    printf("%d\n", clock() >= 0);
    printf("%d\n", signal(SIGUSR1, SIG_IGN) == SIG_DFL);
    printf("%d\n", raise(SIGUSR1));
    printf("%d\n", signal(SIGUSR1, SIG_DFL) == SIG_IGN);
    return 9;
}
