// Sections by name, constructors' tables, unused and hidden symbols.
__attribute__((section(".text.early"))) int early(int x) { return x + 3; }
__attribute__((section(".mydata"))) int mine = 5;
__attribute__((section(".rodata.special"))) const int special = 9;
__attribute__((visibility("hidden"))) int hidden(int x) { return early(x) * mine + special; }
__attribute__((used)) static int kept(int x) { return hidden(x) + 1; }
__attribute__((cold)) int unlikely(int x) { return x ^ 0x55; }
__attribute__((hot)) int likely(int x) { if (__builtin_expect(x < 0, 0)) return unlikely(x); return hidden(x); }
extern int end_of_all; int end_of_all = 1;
int *address(void) { return &end_of_all; }
int (*const list[])(int) = {early, hidden, unlikely};
int each(int n) { int s = 0; for (int i = 0; i < 3; i++) s += list[i](n); return s; }
