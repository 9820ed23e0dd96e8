/* What programs do: lists, matrices of numbers and of floating point, a state machine, sums of texts, recursion, pointers to functions, numbers of 64
   and 128 bits, atomics. Each part leaves a sum, which is printed. Without a library (ALONE) the program has its own start. */

typedef unsigned long word;

static long call(long number, long a, long b, long c) {
    register long a0 __asm__("a0") = a, a1 __asm__("a1") = b, a2 __asm__("a2") = c, a7 __asm__("a7") = number;
    __asm__ volatile("ecall" : "+r"(a0) : "r"(a1), "r"(a2), "r"(a7) : "memory");
    return a0;
}

static void show(const char *name, unsigned long long n) {
    char text[64];
    int at = 0;
    while (*name) text[at++] = *name++;
    text[at++] = ' ';
    for (int i = 60; i >= 0; i -= 4) text[at++] = "0123456789abcdef"[n >> i & 15];
    text[at++] = '\n';
    call(64, 1, (long)text, at);
}

struct node {
    struct node *next;
    int key, value;
};
static struct node nodes[200];

static word lists(int turns) {
    for (int i = 0; i < 200; i++) {
        nodes[i].next = i < 199 ? nodes + i + 1 : 0;
        nodes[i].key = i * 37 % 200;
        nodes[i].value = i;
    }
    struct node *list = nodes;
    word sum = 0;
    for (int turn = 0; turn < turns; turn++) {
        for (struct node *n = list; n; n = n->next)
            if (n->key == turn * 11 % 200) sum = sum * 31 + (word)n->value++;
        struct node *done = 0;
        while (list) {
            struct node *next = list->next;
            list->next = done;
            done = list;
            list = next;
        }
        list = done;
    }
    return sum;
}

static int a[24][24], b[24][24];
static double x[24][24], y[24][24];
static float z[24];

static word matrices(void) {
    word sum = 0;
    for (int i = 0; i < 24; i++)
        for (int j = 0; j < 24; j++) {
            a[i][j] = i * 3 - j;
            b[i][j] = i ^ j * 5;
            x[i][j] = i / (j + 1.5);
            y[i][j] = j - i * 0.25;
        }
    for (int i = 0; i < 24; i++)
        for (int j = 0; j < 24; j++) {
            int n = 0;
            double d = 0;
            for (int k = 0; k < 24; k++) {
                n += a[i][k] * b[k][j];
                d += x[i][k] * y[k][j];
            }
            sum = sum * 33 + (word)n;
            z[j] += (float)d / (j + 1);
        }
    for (int i = 0; i < 24; i++) sum ^= (word)(long)(z[i] * 1000) << i;
    return sum;
}

static word states(void) {
    static const char text[] = "12,-7,3.5e2,+x,0.1,9e,,42";
    word sum = 0;
    for (int turn = 0; turn < 100; turn++) {
        int state = 0;
        for (unsigned i = 0; i < sizeof text; i++) {
            char c = text[(i + (unsigned)turn) % sizeof text];
            switch (state) {
            case 0: state = c >= '0' && c <= '9' ? 1 : c == '-' || c == '+' ? 2 : c == '.' ? 3 : 6; break;
            case 1: state = c == '.' ? 3 : c == 'e' ? 4 : c == ',' ? 0 : c >= '0' && c <= '9' ? 1 : 6; break;
            case 2: state = c >= '0' && c <= '9' ? 1 : 6; break;
            case 3: state = c == 'e' ? 4 : c == ',' ? 0 : 3; break;
            case 4: state = c >= '0' && c <= '9' ? 5 : 6; break;
            case 5: state = c == ',' ? 0 : 5; break;
            default: state = c == ',' ? 0 : 6;
            }
            sum = sum * 7 + (word)state;
        }
    }
    return sum;
}

__attribute__((noinline)) static unsigned ackermann(unsigned m, unsigned n) {
    return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

static word twice(word n) { return n * 2 + 1; }
static word half(word n) { return n >> 1 ^ 0x5a; }
static word other(word n) { return ~n + (n << 3); }
static word (*const functions[])(word) = {twice, half, other};

static word indirect(void) {
    word n = 1;
    for (unsigned i = 0; i < 3000; i++) n = functions[(n ^ i) % 3](n);
    return n;
}

static unsigned long long wide(void) {
    unsigned long long n = 0x123456789abcdefULL, sum = 0;
    for (int i = 1; i < 500; i++) {
        n = n * 6364136223846793005ULL + 1442695040888963407ULL;
        sum += (n >> 33) * (unsigned)i;
        sum ^= n << (i & 31);
#ifndef ALONE
        sum += n / (unsigned)i % 1000003;
        sum += (unsigned long long)((unsigned __int128)n * sum >> 64);
#endif
    }
    return sum;
}

static word counter;
static word atomics(void) {
    for (word i = 0; i < 500; i++) {
        __atomic_fetch_add(&counter, i, __ATOMIC_SEQ_CST);
        word expected = counter;
        __atomic_compare_exchange_n(&counter, &expected, expected ^ i << 3, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
    }
    return counter;
}

int main(void) {
    show("lists", lists(150));
    show("matrices", matrices());
    show("states", states());
    show("ackermann", ackermann(2, 40));
    show("indirect", indirect());
    show("wide", wide());
    show("atomics", atomics());
    return 0;
}

#ifdef ALONE
void *memset(void *to, int value, word n) {
    for (char *at = to; n--;) *at++ = (char)value;
    return to;
}
void *memcpy(void *to, const void *from, word n) {
    const char *f = from;
    for (char *at = to; n--;) *at++ = *f++;
    return to;
}
__attribute__((used)) static void start(void) { call(93, main(), 0, 0); }
__attribute__((naked)) void _start(void) {
    __asm__ volatile(".option push\n .option norelax\n la gp, __global_pointer$\n .option pop\n andi sp, sp, -16\n call start");
}
#endif
