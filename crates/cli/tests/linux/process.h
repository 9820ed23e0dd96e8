/* What programs without a library need: system calls, with 0 for arguments that are not given, and lines of a text and a number. */
typedef unsigned long word;

#define call(...) call_with((long[7]){__VA_ARGS__})

static long call_with(const long *given)
{
    register long a7 __asm__("a7") = given[0], a0 __asm__("a0") = given[1], a1 __asm__("a1") = given[2], a2 __asm__("a2") = given[3];
    register long a3 __asm__("a3") = given[4], a4 __asm__("a4") = given[5], a5 __asm__("a5") = given[6];
    __asm__ volatile("ecall" : "+r"(a0) : "r"(a7), "r"(a1), "r"(a2), "r"(a3), "r"(a4), "r"(a5) : "memory");
    return a0;
}

static void put(const char *text)
{
    long length = 0;
    while (text[length])
        length++;
    call(64, 1, (long)text, length);
}

/* A line at once: threads print side by side. */
static void say(const char *what, word value)
{
    char text[64];
    int at = 0, digits = 0;
    word rest = value;
    while (*what)
        text[at++] = *what++;
    text[at++] = ' ';
    do
        digits++;
    while (rest >>= 4);
    for (int n = digits - 1; n >= 0; n--)
        text[at++] = "0123456789abcdef"[value >> (4 * n) & 15];
    text[at++] = '\n';
    call(64, 1, (long)text, at);
}
