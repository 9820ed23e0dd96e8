/* System calls of a process, each result printed: what it prints must be the same on any Linux. */
#include "process.h"

void begin(long *stack)
{
    static char buffer[512];
    long count = stack[0];
    for (long i = 1; i < count; i++) {
        put((char *)stack[1 + i]);
        put("\n");
    }
    long top = call(214, 0, 0, 0, 0, 0, 0);
    say("brk", call(214, top + 100000, 0, 0, 0, 0, 0) - top);
    *(volatile char *)(top + 99999) = 1;
    say("brk down", call(214, top + 10, 0, 0, 0, 0, 0) - top);
    long map = call(222, 0, 65536, 3, 0x22, -1, 0);
    say("mmap", map & 4095);
    volatile word *words = (word *)map;
    words[100] = 5;
    say("zeros", words[100] + words[101]);
    long moved = call(216, map, 65536, 1 << 20, 1, 0, 0);
    say("mremap", ((word *)moved)[100]);
    say("fixed", call(222, moved, 4096, 3, 0x32, -1, 0) == moved);
    say("fresh", ((word *)moved)[100]);
    say("munmap", call(215, moved, 1 << 20, 0, 0, 0, 0));
    say("munmap nothing", -call(215, 1, 4096, 0, 0, 0, 0));
    long file = call(56, -100, (long)"f.txt", 0x242, 0644, 0, 0);
    say("openat", file);
    say("write", call(64, file, (long)"abcdef", 6, 0, 0, 0));
    word pieces[4] = {(word)"gh", 2, (word)"ijk", 3};
    say("writev", call(66, file, (long)pieces, 2, 0, 0, 0));
#if __riscv_xlen == 64
    say("lseek", call(62, file, 2, 0, 0, 0, 0));
    say("lseek end", call(62, file, -1, 2, 0, 0, 0));
    say("lseek before", -call(62, file, -100, 0, 0, 0, 0));
    say("pread", call(67, file, (long)buffer, 4, 3, 0, 0));
    say("fstat", call(80, file, (long)buffer, 0, 0, 0, 0));
    say("size", *(long *)(buffer + 48));
    say("newfstatat", call(79, -100, (long)"f.txt", (long)buffer, 0, 0, 0));
#endif
    say("read at the end", call(63, file, (long)buffer, 512, 0, 0, 0));
    say("close", call(57, file, 0, 0, 0, 0, 0));
    say("close again", -call(57, file, 0, 0, 0, 0, 0));
    say("statx", call(291, -100, (long)"f.txt", 0, 0x7ff, (long)buffer, 0));
    say("size", *(word *)(buffer + 40));
    say("open nothing", -call(56, -100, (long)"missing", 0, 0, 0, 0));
    say("mkdirat", call(34, -100, (long)"d", 0755, 0, 0, 0));
    say("mkdirat again", -call(34, -100, (long)"d", 0755, 0, 0, 0));
    say("rename", call(276, -100, (long)"f.txt", -100, (long)"d/g.txt", 0, 0));
    say("it is gone", -call(56, -100, (long)"f.txt", 0, 0, 0, 0));
    say("rmdir of a file", -call(35, -100, (long)"d/g.txt", 0x200, 0, 0, 0));
    say("rmdir of a full one", -call(35, -100, (long)"d", 0x200, 0, 0, 0));
    say("unlink with other flags", -call(35, -100, (long)"d", 2, 0, 0, 0));
    say("rename back", call(276, -100, (long)"d/g.txt", -100, (long)"f.txt", 0, 0));
    say("rmdir", call(35, -100, (long)"d", 0x200, 0, 0, 0));
    say("rmdir again", -call(35, -100, (long)"d", 0x200, 0, 0, 0));
    say("setuid", call(146, call(174, 0, 0, 0, 0, 0, 0), 0, 0, 0, 0, 0));
    say("open a new one", -call(56, -100, (long)"f.txt", 0xc1, 0644, 0, 0));
    say("unlinkat", call(35, -100, (long)"f.txt", 0, 0, 0, 0));
    say("unlinkat again", -call(35, -100, (long)"f.txt", 0, 0, 0, 0));
    say("write nowhere", -call(64, 1, 0, 4, 0, 0, 0));
    say("uname", call(160, (long)buffer, 0, 0, 0, 0, 0));
    put(buffer);
    put("\n");
    say("clock", call(__riscv_xlen == 64 ? 113 : 403, 0, (long)buffer, 0, 0, 0, 0));
    say("random", call(278, (long)buffer, 16, 0, 0, 0, 0));
    say("ioctl of a file", -call(29, 1, 0x5401, (long)buffer, 0, 0, 0));
    long read = call(63, 0, (long)buffer, 512, 0, 0, 0);
    call(64, 1, (long)buffer, read, 0, 0, 0);
    call(94, 7, 0, 0, 0, 0, 0);
}

__asm__(".globl _start\n_start: mv a0, sp\n andi sp, sp, -16\n call begin\n");
