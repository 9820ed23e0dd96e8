/* What waits while the function for a signal runs: itself, the set of its action, both or none; in which order; and what is blocked after it. */
#include "process.h"

struct action {
    void (*function)(int);
    word flags;
    /* QEMU 7.2 takes the set from a word later than Linux does, so it is there twice; one of one word is in each place. */
    word set[4];
};

static void fill(struct action *a, void (*function)(int), word flags, word set)
{
    a->function = function;
    a->flags = flags;
    for (int n = 0; n < 4; n++)
        a->set[n] = set;
    if (sizeof(word) == 4)
        a->set[2] = a->set[1] = set;
}

static int depth;

static word blocked(void)
{
    unsigned int set[2] = {0, 0};
    call(135, 0, 0, (long)set, 8);
    return set[0];
}

static word pending(void)
{
    unsigned int set[2] = {0, 0};
    call(136, (long)set, 8, 0, 0);
    return set[0];
}

static void inner(int signal)
{
    say("inner signal", signal);
    say("depth", depth);
    say("blocked", blocked());
}

static void outer(int signal)
{
    depth++;
    say("outer signal", signal);
    say("blocked", blocked());
    call(129, call(172, 0, 0, 0, 0), 12, 0, 0);
    call(129, call(172, 0, 0, 0, 0), 14, 0, 0);
    say("pending", pending());
    depth--;
}

static void again(int signal)
{
    say("again", depth);
    if (depth++ == 0) {
        call(129, call(172, 0, 0, 0, 0), signal, 0, 0);
        say("depth", depth);
    }
}

void _start(void)
{
    struct action a;
    static const word sets[] = {0, 1 << 11, 1 << 11 | 1 << 13};
    long self = call(172, 0, 0, 0, 0);
    fill(&a, inner, 0, 0);
    call(134, 12, (long)&a, 0, 8);
    call(134, 14, (long)&a, 0, 8);
    for (int n = 0; n < 3; n++) {
        fill(&a, outer, 0, sets[n]);
        say("action", call(134, 10, (long)&a, 0, 8));
        call(129, self, 10, 0, 0);
        say("after", blocked());
        say("pending", pending());
    }
    fill(&a, again, 0, 0);
    call(134, 10, (long)&a, 0, 8);
    call(129, self, 10, 0, 0);
    depth = 0;
    fill(&a, again, 0x40000000, 0);
    call(134, 10, (long)&a, 0, 8);
    call(129, self, 10, 0, 0);
    unsigned int set[2] = {1 << 9 | 1 << 11, 0};
    call(135, 0, (long)set, 0, 8);
    fill(&a, inner, 0, 0);
    call(134, 10, (long)&a, 0, 8);
    call(129, self, 12, 0, 0);
    call(129, self, 10, 0, 0);
    say("pending", pending());
    call(135, 1, (long)set, 0, 8);
    say("after", blocked());
    call(94, 0, 0, 0, 0);
}
