/* System calls about files, folders and pipes, each result printed: what it prints must be the same on any Linux. */
#include "process.h"

#define HERE -100

static long create(const char *path) { return call(56, HERE, (long)path, 0x242, 0644, 0, 0); }

/* Rights, size and time of a file. */
static void status(const char *path)
{
    static char buffer[256];
    say(path, -call(291, HERE, (long)path, 0, 0x7ff, (long)buffer, 0));
    say("  mode", *(unsigned short *)(buffer + 28));
    if ((*(unsigned short *)(buffer + 28) & 0170000) == 0100000)
        say("  size", *(word *)(buffer + 40));
}

/* How many names a folder has and the sum of their letters, since the order is open. */
static void list(const char *what, long folder)
{
    static char buffer[1024];
    long read, names = 0, sum = 0, kinds = 0;
    while ((read = call(61, folder, (long)buffer, 96, 0, 0, 0)) > 0) {
        for (long at = 0; at < read; at += *(unsigned short *)(buffer + at + 16)) {
            names++;
            kinds += buffer[at + 18];
            for (char *c = buffer + at + 19; *c; c++)
                sum += *c;
        }
    }
    put(what);
    say(" ends", -read);
    say("  names", names);
    say("  letters", sum);
    say("  kinds", kinds);
}

void begin(long *stack)
{
    static char buffer[512];
    int ends[2];
    (void)stack;
    say("umask", call(166, 027, 0, 0, 0, 0, 0));
    say("mkdirat", call(34, HERE, (long)"d", 0777, 0, 0, 0));
    status("d");
    call(57, create("d/one"), 0, 0, 0, 0, 0);
    call(57, create("d/two"), 0, 0, 0, 0, 0);
    call(34, HERE, (long)"d/inner", 0755, 0, 0, 0);
    status("d/one");
    say("umask", call(166, 022, 0, 0, 0, 0, 0));

    long folder = call(56, HERE, (long)"d", 0x10000, 0, 0, 0);
    say("open a folder", folder);
    list("getdents64", folder);
    list("at its end", folder);
#if __riscv_xlen == 64
    say("rewind", call(62, folder, 0, 0, 0, 0, 0));
    list("again", folder);
#endif
    say("too little room", -call(61, call(56, HERE, (long)".", 0x10000, 0, 0, 0), (long)buffer, 8, 0, 0, 0));
    say("write to a folder", -call(56, HERE, (long)"d", 1, 0, 0, 0));
    say("a file as a folder", -call(56, HERE, (long)"d/one", 0x10000, 0, 0, 0));
    say("openat of a folder", call(57, call(56, folder, (long)"three", 0x241, 0600, 0, 0), 0, 0, 0, 0, 0));
    status("d/three");
    say("openat of a file", -call(56, call(56, HERE, (long)"d/one", 0, 0, 0, 0), (long)"x", 0, 0, 0, 0));
    say("openat of nothing", -call(56, 77, (long)"x", 0, 0, 0, 0));
    say("unlinkat", call(35, folder, (long)"three", 0, 0, 0, 0));
    say("an empty path", -call(56, HERE, (long)"", 0, 0, 0, 0));

    say("chdir", call(49, (long)"d", 0, 0, 0, 0, 0));
    say("from there", -call(48, HERE, (long)"one", 0, 0, 0, 0));
    say("chdir to a file", -call(49, (long)"one", 0, 0, 0, 0, 0));
    say("chdir to nothing", -call(49, (long)"missing", 0, 0, 0, 0, 0));
    say("chdir inside", call(49, (long)"inner", 0, 0, 0, 0, 0));
    long size = call(17, (long)buffer, 512, 0, 0, 0, 0);
    put(buffer + size - 9);
    put("\n");
    say("a short buffer", -call(17, (long)buffer, 2, 0, 0, 0, 0));
    say("fchdir", call(50, folder, 0, 0, 0, 0, 0));
    say("fchdir of a file", -call(50, 1, 0, 0, 0, 0, 0));
    say("chdir up", call(49, (long)"..", 0, 0, 0, 0, 0));
    say("it is there", -call(48, HERE, (long)"d/one", 0, 0, 0, 0));

    long file = create("f");
    long other = call(23, file, 0, 0, 0, 0, 0);
    say("dup", other - file);
    say("write to one", call(64, file, (long)"abc", 3, 0, 0, 0));
    say("write to the other", call(64, other, (long)"def", 3, 0, 0, 0));
    say("close one", call(57, file, 0, 0, 0, 0, 0));
    say("write to what is left", call(64, other, (long)"ghi", 3, 0, 0, 0));
    status("f");
    say("dup3", call(24, other, 40, 0, 0, 0, 0));
    say("dup3 to itself", -call(24, 40, 40, 0, 0, 0, 0));
    say("dup3 of nothing", -call(24, 99, 41, 0, 0, 0, 0));
    say("dup3 too far", -call(24, 40, 1 << 20, 0, 0, 0, 0));
    say("fcntl dup", call(25, 40, 0, 50, 0, 0, 0));
    say("fcntl dup cloexec", call(25, 40, 1030, 50, 0, 0, 0));
    say("fcntl of nothing", -call(25, 99, 1, 0, 0, 0, 0));
    say("ftruncate", call(46, 40, 5, 0, 0, 0, 0));
    status("f");
    say("truncate", call(45, (long)"f", 20, 0, 0, 0, 0));
    status("f");
    say("truncate nothing", -call(45, (long)"missing", 20, 0, 0, 0, 0));
    say("fsync", call(82, 40, 0, 0, 0, 0, 0));
    say("fsync of nothing", -call(82, 99, 0, 0, 0, 0, 0));

    say("fchmodat", call(53, HERE, (long)"f", 0750, 0, 0, 0));
    status("f");
    say("fchmod", call(52, 40, 0640, 0, 0, 0, 0));
    status("f");
    say("may it run", -call(48, HERE, (long)"f", 1, 0, 0, 0));
    say("fchown to itself", call(55, 40, -1, -1, 0, 0, 0));
    say("readlinkat", -call(78, HERE, (long)"f", (long)buffer, 100, 0, 0));
    say("readlinkat of nothing", -call(78, HERE, (long)"missing", (long)buffer, 100, 0, 0));
#if __riscv_xlen == 64
    long times[4] = {1000000000, 5, 1234567890, 987654321};
    say("utimensat", call(88, HERE, (long)"f", (long)times, 0, 0, 0));
    say("stat", call(79, HERE, (long)"f", (long)buffer, 0, 0, 0));
    say("  written", *(long *)(buffer + 88));
    say("  billionths", *(long *)(buffer + 96));
    times[3] = 0x3ffffffe;
    say("utimensat but not that", call(88, HERE, (long)"f", (long)times, 0, 0, 0));
    call(79, HERE, (long)"f", (long)buffer, 0, 0, 0);
    say("  written", *(long *)(buffer + 88));
    long text = create("text");
    call(64, text, (long)"0123456789\n", 11, 0, 0, 0);
    long offset = 4;
    say("sendfile", call(71, 1, text, (long)&offset, 100, 0, 0));
    say("  offset", offset);
    call(62, text, 8, 0, 0, 0, 0);
    say("sendfile from where it is", call(71, 1, text, 0, 100, 0, 0));
    say("sendfile of a pipe", -call(71, 1, 0, 0, 100, 0, 0));
    say("wait4", -call(260, -1, 0, 0, 0, 0, 0));
#endif

    say("pipe2", call(59, (long)ends, 0, 0, 0, 0, 0));
    say("pipe2 to nowhere", -call(59, 0, 0, 0, 0, 0, 0));
    say("write", call(64, ends[1], (long)"through", 7, 0, 0, 0));
    say("read", call(63, ends[0], (long)buffer, 4, 0, 0, 0));
    call(64, 1, (long)buffer, 4, 0, 0, 0);
    put("\n");
    say("lseek of a pipe", -call(67, ends[0], (long)buffer, 4, 0, 0, 0));
    say("read the wrong end", -call(63, ends[1], (long)buffer, 4, 0, 0, 0));
    say("write the wrong end", -call(64, ends[0], (long)buffer, 4, 0, 0, 0));
    struct { int file; short wanted, found; } polls[3] = {{ends[0], 1, 9}, {ends[1], 4, 9}, {99, 1, 9}};
    long now[4] = {0, 0, 0, 0};
    say("ppoll", call(__riscv_xlen == 64 ? 73 : 414, (long)polls, 3, (long)now, 0, 8, 0));
    say("  read", polls[0].found);
    say("  write", polls[1].found);
    say("  nothing", polls[2].found);
    word bits[16] = {1ul << ends[0] % (8 * sizeof(word))};
    say("pselect6", call(__riscv_xlen == 64 ? 72 : 413, ends[0] + 1, (long)bits, 0, 0, (long)now, 0));
    say("close", call(57, ends[1], 0, 0, 0, 0, 0));
    say("read the rest", call(63, ends[0], (long)buffer, 100, 0, 0, 0));
    say("read at the end", call(63, ends[0], (long)buffer, 100, 0, 0, 0));
    polls[0].wanted = 1;
    say("ppoll", call(__riscv_xlen == 64 ? 73 : 414, (long)polls, 1, (long)now, 0, 8, 0));
    say("  read", polls[0].found);

    say("rt_sigaction", call(134, 10, 0, (long)buffer, 8, 0, 0));
    say("  function", *(word *)buffer);
    word ignore[4] = {1, 0, 0, 0};
    say("ignore", call(134, 10, (long)ignore, 0, 8, 0, 0));
    say("kill", call(129, call(172, 0, 0, 0, 0, 0, 0), 10, 0, 0, 0, 0));
    say("rt_sigaction", call(134, 10, 0, (long)buffer, 8, 0, 0));
    say("  function", *(word *)buffer);
    say("SIGKILL", -call(134, 9, (long)ignore, 0, 8, 0, 0));

    /* Standard output goes to a file, and back. */
    long console = call(25, 1, 0, 60, 0, 0, 0);
    call(24, create("out"), 1, 0, 0, 0, 0);
    put("hidden\n");
    call(24, console, 1, 0, 0, 0, 0);
    status("out");
    call(94, 5, 0, 0, 0, 0, 0);
}

__asm__(".globl _start\n_start: mv a0, sp\n andi sp, sp, -16\n call begin\n");
