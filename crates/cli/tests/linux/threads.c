/* Threads by the calls alone: clone, futex with all its ways to wait and wake, numbers, signals to one thread, ends. */
#include "process.h"

#define NARROW (sizeof(word) == 4)
#define FUTEX (NARROW ? 422 : 98)

static long futex(volatile int *at, int operation, int value, long fourth, volatile int *second, int third)
{
    return call(FUTEX, (long)at, operation, value, fourth, (long)second, third);
}

struct thread {
    void (*function)(void *);
    void *argument;
    volatile int is_there;
    char tls[16];
    char stack[8192] __attribute__((aligned(16)));
};

/* Begins a thread: it finds its function on its stack, and ends with `exit`. */
static long begin(struct thread *t, void (*function)(void *), void *argument)
{
    t->function = function;
    t->argument = argument;
    t->is_there = 1;
    register long a7 __asm__("a7") = 220, a0 __asm__("a0") = 0x100 | 0x200 | 0x400 | 0x800 | 0x10000 | 0x40000 | 0x80000 | 0x100000 | 0x200000;
    register long a1 __asm__("a1") = (long)(t->stack + sizeof t->stack), a2 __asm__("a2") = (long)&t->is_there;
    register long a3 __asm__("a3") = (long)t->tls, a4 __asm__("a4") = (long)&t->is_there;
    register struct thread *s1 __asm__("s1") = t;
    __asm__ volatile(
        "ecall\n\tbnez a0, 1f\n\t"
#if __riscv_xlen == 64
        "ld a0, 8(s1)\n\tld a5, 0(s1)\n\t"
#else
        "lw a0, 4(s1)\n\tlw a5, 0(s1)\n\t"
#endif
        "jalr a5\n\tli a0, 9\n\tli a7, 93\n\tecall\n1:"
        : "+r"(a0) : "r"(a7), "r"(a1), "r"(a2), "r"(a3), "r"(a4), "r"(s1) : "memory", "ra", "a5");
    return a0;
}

static void join(struct thread *t)
{
    int now;
    while ((now = t->is_there) != 0)
        futex(&t->is_there, 0, now, 0, 0, 0);
}

static struct thread all[4];
static volatile int word_1, word_2, counter, woken;

static void counts(void *argument)
{
    for (int n = 0; n < 3000; n++)
        __atomic_fetch_add(&counter, (int)(long)argument, __ATOMIC_SEQ_CST);
}

static void tells(void *argument)
{
    register word tp __asm__("tp");
    say("own tls", tp == (word)all[0].tls);
    say("own number", call(178, 0, 0, 0, 0, 0, 0) != call(172, 0, 0, 0, 0, 0, 0));
    say("stored number", *(volatile int *)argument == call(178, 0, 0, 0, 0, 0, 0));
}

static void waits(void *argument)
{
    while (word_1 == 0)
        futex(&word_1, 9, 0, 0, 0, (int)(long)argument);
    __atomic_fetch_add(&woken, 1, __ATOMIC_SEQ_CST);
    futex(&word_2, 1, 1, 0, 0, 0);
}

static void waits_once(void *argument)
{
    __atomic_fetch_add(&word_2, 1, __ATOMIC_SEQ_CST);
    long result = futex(&word_1, 0, 0, 0, 0, 0);
    if (result == 0)
        __atomic_fetch_add(&woken, 1, __ATOMIC_SEQ_CST);
}

/* Lets the others run until so many of them have come so far, and then a little more. */
static void pause_until(volatile int *what, int value)
{
    long long little[2] = {0, 20000000};
    while (*what < value)
        call(124, 0, 0, 0, 0, 0, 0);
    call(NARROW ? 407 : 115, 1, 0, (long)little, 0, 0, 0);
}

void _start(void)
{
    long number = begin(&all[0], tells, (void *)&all[0].is_there);
    join(&all[0]);
    say("a thread", number > 0);
    for (long n = 0; n < 4; n++)
        begin(&all[n], counts, (void *)(n + 1));
    for (int n = 0; n < 4; n++)
        join(&all[n]);
    say("counted", counter);

    say("not this value", futex(&word_1, 0, 5, 0, 0, 0));
    say("not aligned", futex((volatile int *)((char *)&word_1 + 1), 0, 5, 0, 0, 0));
    say("no memory", futex((volatile int *)8, 0, 5, 0, 0, 0));
    say("no bits", futex(&word_1, 9, 0, 0, 0, 0));
    say("nobody", futex(&word_1, 1, 5, 0, 0, 0));
    long long time[2] = {0, 1000000};
    say("time", futex(&word_1, 0, 0, (long)time, 0, 0));
    time[1] = 1000000000;
    say("wrong time", futex(&word_1, 0, 0, (long)time, 0, 0));
    time[0] = 1;
    time[1] = 0;
    say("long ago", futex(&word_1, 9, 0, (long)time, 0, -1));

    for (long n = 0; n < 4; n++)
        begin(&all[n], waits_once, 0);
    pause_until(&word_2, 4);
    say("one", futex(&word_1, 1, 1, 0, 0, 0));
    pause_until(&woken, 1);
    say("woken", woken);
    say("wrong value", futex(&word_1, 4, 1, 1, &word_2, 7));
    say("moved", futex(&word_1, 4, 1, 1, &word_2, 0));
    pause_until(&woken, 2);
    say("woken", woken);
    say("of the second", futex(&word_2, 1, 9, 0, 0, 0));
    say("the rest", futex(&word_1, 1, 0x7fffffff, 0, 0, 0));
    for (int n = 0; n < 4; n++)
        join(&all[n]);
    say("woken", woken);

    woken = word_2 = 0;
    begin(&all[0], waits, (void *)1l);
    begin(&all[1], waits, (void *)2l);
    pause_until(&counter, 0);
    word_1 = 1;
    say("others' bits", futex(&word_1, 10, 9, 0, 0, 4));
    say("two", futex(&word_1, 10, 9, 0, 0, 2));
    say("one", futex(&word_1, 10, 9, 0, 0, -1));
    for (int n = 0; n < 2; n++)
        join(&all[n]);
    say("woken", woken);

    word_1 = 0;
    woken = word_2 = 0;
    begin(&all[0], waits_once, 0);
    pause_until(&word_2, 1);
    word_2 = 3;
    /* word_2 += 2, and those at word_1 are woken as well since it was less than 4. */
    say("wake and add", futex(&word_2, 5, 1, 1, &word_1, 1 << 28 | 2 << 24 | 2 << 12 | 4));
    join(&all[0]);
    say("woken", woken);
    say("word", word_1);
    say("no thread", call(131, call(172, 0, 0, 0, 0, 0, 0), 99999999, 0, 0, 0, 0));
    say("itself", call(131, call(172, 0, 0, 0, 0, 0, 0), call(178, 0, 0, 0, 0, 0, 0), 0, 0, 0, 0));
    begin(&all[0], counts, (void *)1l);
    call(94, 7, 0, 0, 0, 0, 0);
}
