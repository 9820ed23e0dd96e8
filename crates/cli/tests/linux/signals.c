/* A signal to itself and the registers afterwards; what a function gets, where the kernel puts it. */
#include "process.h"

struct action {
    void (*function)(int, int *, word *);
    word flags;
    unsigned int set[2];
    /* QEMU 7.2 takes the set from a word later than Linux does. */
    word more[2];
};

/* The words before the registers of a context. */
#define BEFORE ((sizeof(word) == 8 ? 176 : 160) / sizeof(word))

static void user(int signal, int *info, word *context)
{
    say("signal", signal);
    say("number", info[0]);
    say("code", -info[2]);
    say("blocked before", (unsigned int)context[sizeof(word) == 8 ? 5 : 5]);
    say("s1", context[BEFORE + 9]);
    say("s11", context[BEFORE + 27]);
    context[BEFORE + 27] += 1;
    unsigned int set[2] = {0, 0};
    call(135, 0, 0, (long)set, 8);
    say("blocked", set[0]);
}

static void fault(int signal, int *info, word *context)
{
    say("signal", signal);
    say("code", info[2]);
    say("address", ((word *)info)[sizeof(word) == 8 ? 2 : 3]);
    context[BEFORE] += 4;
}

void begin(void)
{
    struct action a = {user, 4, {0x100, 0}, {0, 0}};
    say("action", call(134, 10, (long)&a, 0, 8));
    word s1 = 0x1234, s11 = 0x777;
    unsigned int set[2] = {1 << 11, 0};
    call(135, 0, (long)set, 0, 8);
    long pid = call(172, 0, 0, 0, 0), thread = call(178, 0, 0, 0, 0);
    register long a7 __asm__("a7") = 131, a0 __asm__("a0") = pid, a1 __asm__("a1") = thread, a2 __asm__("a2") = 10;
    register word r1 __asm__("s1") = s1, r11 __asm__("s11") = s11;
    __asm__ volatile("ecall" : "+r"(a0), "+r"(r1), "+r"(r11) : "r"(a7), "r"(a1), "r"(a2) : "memory");
    s1 = r1, s11 = r11;
    say("after", a0);
    say("s1", s1);
    say("s11", s11);
    call(135, 2, (long)set, (long)set, 8);
    say("blocked", set[0]);
    a.function = fault;
    call(134, 11, (long)&a, 0, 8);
    __asm__ volatile(".option push\n\t.option norvc\n\tsw zero, 64(zero)\n\tlw zero, 72(zero)\n\t.option pop" ::: "memory");
    say("unknown", call(134, 65, (long)&a, 0, 8));
    say("sizes", call(135, 0, 0, 0, 4));
    call(93, 5, 0, 0, 0);
}

__asm__(".globl _start\n_start: mv a0, sp\n\tandi sp, sp, -16\n\tcall begin\n");
