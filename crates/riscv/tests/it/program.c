/* What compilers make of usual C: jumps through tables, strings, globals of every kind, large constants, floats, calls. */

typedef unsigned long word;

struct node {
    int key;
    struct node *next;
};

static struct node nodes[16];
int table[8] = { 3, 1, 4, 1, 5, 9, 2, 6 };
const char names[4][8] = { "zero", "one", "two", "three" };
static word seed = 0x123456789abcdef1;
short counters[32];
double scale = 1.5;
int (*operation)(int, int);

static word next(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

int add(int a, int b) { return a + b; }
int twist(int a, int b) { return a * 31 - (b >> 3); }

__attribute__((noinline)) int choose(int what, int x)
{
    switch (what) {
    case 0: return x + 7;
    case 1: return x * x;
    case 2: return -x;
    case 3: return x / 3;
    case 4: return x % 11;
    case 5: return (x << 4) ^ 0x5a5a;
    case 6: return x & 0xff;
    default: return 1;
    }
}

__attribute__((noinline)) int depth(int n)
{
    return n < 2 ? n : depth(n - 1) + depth(n - 2);
}

__attribute__((noinline)) unsigned text(const char *s)
{
    unsigned sum = 5381;
    while (*s)
        sum = sum * 33 + (unsigned char)*s++;
    return sum;
}

static void leave(int status)
{
    register long number asm("a7") = 93;
    register long first asm("a0") = status;
    asm volatile("ecall" : : "r"(number), "r"(first));
    __builtin_unreachable();
}

void _start(void)
{
    word sum = 0;
    struct node *list = 0;
    for (int i = 0; i < 16; i++) {
        nodes[i].key = (int)(next() >> 40);
        nodes[i].next = list;
        list = &nodes[i];
    }
    for (struct node *n = list; n; n = n->next)
        sum += (word)n->key;
    for (int i = 0; i < 64; i++)
        sum = sum * 7 + (word)choose(i & 7, table[i & 7] + i);
    operation = (sum & 1) ? add : twist;
    sum += (word)operation((int)sum, depth(12));
    for (int i = 0; i < 4; i++)
        sum ^= text(names[i]) + text("a literal of some length");
    for (int i = 0; i < 32; i++)
        counters[i & 7] += (short)(next() & 0x3ff);
    for (int i = 0; i < 32; i++)
        sum += (word)counters[i];
    scale = scale * (double)(sum & 0xffff) + 0.25;
    sum ^= (word)(long)scale;
    sum ^= 0xfedcba9876543210 >> (sum & 15);
    leave((int)(sum & 0x7f));
}
