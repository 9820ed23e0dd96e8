/* Signals of a process to itself, with functions: what they get, what is blocked meanwhile, other stacks, and traps that a program mends. */
#define _GNU_SOURCE
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

static volatile int seen, depth, left;
static sigjmp_buf back;
static char *page;

static void plain(int signal) { printf("function for %d, depth %d\n", signal, depth); seen += signal; }

static void nested(int signal)
{
    depth++;
    printf("into %d at depth %d\n", signal, depth);
    if (left-- > 0)
        raise(signal);
    printf("out of %d at depth %d\n", signal, depth);
    depth--;
}

static void told(int signal, siginfo_t *info, void *context)
{
    ucontext_t *u = context;
    sigset_t now;
    sigprocmask(SIG_BLOCK, NULL, &now);
    /* Not what else the action blocks: QEMU 7.2 takes that from a word later than Linux does. */
    printf("%d: signo %d code %d ours %d blocked %d before %d\n", signal, info->si_signo, info->si_code,
           info->si_code <= 0 && info->si_pid == getpid(), sigismember(&now, signal), sigismember(&u->uc_sigmask, signal));
}

static void segment(int signal, siginfo_t *info, void *context)
{
    (void)context;
    printf("signal %d code %d at %#lx\n", signal, info->si_code, (unsigned long)info->si_addr);
    siglongjmp(back, 1);
}

/* Goes on after the instruction, with a result of its own. */
static void skip(int signal, siginfo_t *info, void *context)
{
    ucontext_t *u = context;
    printf("signal %d code %d, at the pc %d\n", signal, info->si_code, (unsigned long)info->si_addr == u->uc_mcontext.__gregs[0]);
    u->uc_mcontext.__gregs[0] += 4;
    u->uc_mcontext.__gregs[10] = 1234;
}

static char other[32768];

static void on_other(int signal)
{
    char here;
    stack_t now;
    sigaltstack(NULL, &now);
    printf("%d on the other stack: %d, flags %d\n", signal, &here >= other && &here < other + sizeof other, now.ss_flags);
}

static void floats(int signal)
{
    volatile double x = 3.0;
    (void)signal;
    x = x / 7.0 + 1e300;
    __asm__ volatile("fmv.d.x fs0, zero\n\tfmv.d.x ft0, zero" ::: "fs0", "ft0");
}

static void last(int signal)
{
    printf("the last is %d\n", signal);
    _exit(7);
}

static void act(int signal, void (*function)(int), int flags, int block)
{
    struct sigaction a = {.sa_handler = function, .sa_flags = flags};
    sigemptyset(&a.sa_mask);
    if (block)
        sigaddset(&a.sa_mask, block);
    if (sigaction(signal, &a, NULL))
        perror("sigaction");
}

int main(void)
{
    setvbuf(stdout, NULL, _IONBF, 0);
    printf("%d\n", signal(SIGUSR1, plain) == SIG_DFL);
    raise(SIGUSR1);
    kill(getpid(), SIGUSR1);
    printf("seen %d\n", seen);

    act(SIGUSR1, (void (*)(int))told, SA_SIGINFO, SIGUSR2);
    raise(SIGUSR1);
    kill(getpid(), SIGUSR1);

    left = 2;
    act(SIGUSR2, nested, SA_NODEFER, 0);
    raise(SIGUSR2);
    act(SIGUSR2, nested, 0, 0);
    left = 2;
    raise(SIGUSR2);
    printf("depth %d\n", depth);

    /* Blocked, it waits; it is there once. */
    sigset_t set, old;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGTERM);
    signal(SIGUSR1, plain);
    signal(SIGTERM, plain);
    sigprocmask(SIG_BLOCK, &set, &old);
    raise(SIGTERM);
    raise(SIGUSR1);
    raise(SIGUSR1);
    sigset_t waits;
    sigpending(&waits);
    printf("waiting %d %d %d\n", sigismember(&waits, SIGUSR1), sigismember(&waits, SIGTERM), sigismember(&waits, SIGUSR2));
    sigprocmask(SIG_SETMASK, &old, NULL);
    printf("seen %d\n", seen);

    /* Ignored, and forgotten after the first time. */
    signal(SIGUSR1, SIG_IGN);
    raise(SIGUSR1);
    act(SIGUSR1, plain, SA_RESETHAND, 0);
    raise(SIGUSR1);
    struct sigaction now;
    sigaction(SIGUSR1, NULL, &now);
    printf("usual again %d\n", now.sa_handler == SIG_DFL);

    /* Traps. */
    page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap(page, 4096);
    act(SIGSEGV, (void (*)(int))segment, SA_SIGINFO, 0);
    for (int i = 0; i < 3; i++) {
        if (sigsetjmp(back, 1) == 0) {
            if (i == 0)
                *(volatile int *)16 = 1;
            else if (i == 1)
                printf("%d\n", *(volatile char *)24);
            else
                ((void (*)(void))32)();
        } else
            printf("mended %d\n", i);
    }
    act(SIGILL, (void (*)(int))skip, SA_SIGINFO, 0);
    long result;
    __asm__ volatile("li a0, 1\n\t.4byte 0xffffffff\n\tmv %0, a0" : "=r"(result)::"a0");
    printf("result %ld\n", result);

    /* Floating point is as it was. */
    act(SIGUSR1, floats, 0, 0);
    double y = 1.0;
    for (int i = 1; i < 20; i++) {
        y = y * 1.5 + i;
        raise(SIGUSR1);
    }
    printf("%.17g\n", y);

    stack_t stack = {.ss_sp = other, .ss_size = sizeof other};
    printf("%d\n", sigaltstack(&stack, NULL));
    act(SIGUSR1, on_other, SA_ONSTACK, 0);
    raise(SIGUSR1);
    act(SIGUSR1, on_other, 0, 0);
    raise(SIGUSR1);
    printf("%d %d\n", sigaction(SIGKILL, &now, NULL), errno == EINVAL);
    signal(SIGABRT, last);
    abort();
}
