/* Each call by itself, with results that do not depend on the host. */
typedef unsigned long word;

word call(word number, const void *block);
__asm__(".text\n.balign 16\n.option push\n.option norvc\n.globl call\ncall:\n"
        "slli x0, x0, 0x1f\nebreak\nsrai x0, x0, 7\nret\n.option pop\n");

static void put(const char *text) { call(4, text); }

static void say(const char *what, word value)
{
    char text[20];
    int at = 19;
    text[at] = 0;
    text[--at] = '\n';
    do {
        text[--at] = "0123456789abcdef"[value & 15];
        value >>= 4;
    } while (value);
    put(what);
    put(" ");
    put(text + at);
}

static word length(const char *text)
{
    word n = 0;
    while (text[n])
        n++;
    return n;
}

static word open(const char *name, word mode)
{
    word block[3] = {(word)name, mode, length(name)};
    return call(1, block);
}

static word on(word number, word a, word b, word c)
{
    word block[3] = {a, b, c};
    return call(number, block);
}

int main(void)
{
    static char buffer[64];
    word words[4];
    char letter = 'x';
    call(3, &letter);
    put("\n");
    word missing = open("missing.txt", 0);
    say("open nothing", missing);
    say("errno", call(19, 0));
    word file = open("f.txt", 6);
    say("open", file != (word)-1);
    say("write", on(5, file, (word) "abcdefgh", 8));
    say("flen", on(12, file, 0, 0));
    say("seek", on(10, file, 2, 0));
    say("read", on(6, file, (word)buffer, 3));
    put(buffer);
    put("\n");
    say("read to the end", on(6, file, (word)buffer, 64));
    say("read at the end", on(6, file, (word)buffer, 64));
    say("terminal", on(9, file, 0, 0));
    say("close", on(2, file, 0, 0));
    say("close again", on(2, file, 0, 0));
    say("write to nothing", on(5, file, (word) "abc", 3) != 0);
    file = open("f.txt", 8);
    /* QEMU 7.2 writes at the start of a file that is opened to append: its length is not compared. */
    say("append", on(5, file, (word) "more", 4));
    say("close", on(2, file, 0, 0));
    word names[4] = {(word) "f.txt", 5, (word) "g.txt", 5};
    say("rename", call(15, names));
    say("it is gone", open("f.txt", 0));
    say("remove", on(14, (word) "g.txt", 5, 0));
    say("remove again", on(14, (word) "g.txt", 5, 0) != 0);
    word out = open(":tt", 4);
    say("console", out != (word)-1);
    say("terminal", on(9, out, 0, 0));
    say("written", on(5, out, (word) "by handle\n", 10));
    word features = open(":semihosting-features", 0);
    say("features", on(12, features, 0, 0));
    say("read", on(6, features, (word)buffer, 5));
    say("first", buffer[0]);
    say("last", buffer[4]);
    words[0] = (word)buffer;
    say("heap", call(22, words) != (word)-1);
    word *heap = (word *)buffer;
    say("heap is there", heap[0] < heap[1] && heap[3] <= heap[2]);
    *(volatile char *)(heap[1] - 1) = 1;
    say("error of 0", on(8, 0, 0, 0) != 0);
    say("error of -1", on(8, -1, 0, 0) != 0);
    say("ticks", call(49, 0) != 0);
    unsigned long long ticks[2] = {0, 0};
    call(48, ticks);
    say("elapsed", ticks[0] != 0);
    say("time", call(17, 0) > 1000000000);
    say("clock", (long)call(16, 0) >= 0);
    words[0] = (word)buffer;
    words[1] = 64;
    say("command line", call(21, words));
    put(buffer[0] ? "named\n" : "unnamed\n");
    word ends[2] = {0x20026, 23};
    call(32, ends);
    return 1;
}
