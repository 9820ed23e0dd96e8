// Assembly inside of C: local labels, several statements, comments, constraints, sections.
#ifdef __riscv_flen
#define CYCLES "csrr %0, cycle"
#else
#define CYCLES "li %0, 5"
#endif
static inline unsigned long cycles(void) { unsigned long x; __asm__ volatile(CYCLES : "=r"(x)); return x; }
int count(int n) { int r; __asm__("li %0, 0 # begin\n1:\tbeqz %1, 2f\n\taddi %0, %0, 3; addi %1, %1, -1\n\tj 1b\n2:" : "=&r"(r), "+r"(n)); return r; }
unsigned long since(unsigned long t) { return cycles() - t; }
int swap(int *p, int v) { int o; __asm__ volatile("amoswap.w.aqrl %0, %2, %1" : "=r"(o), "+A"(*p) : "r"(v) : "memory"); return o; }
void wait(void) { __asm__ volatile("fence rw, rw\n\twfi\n\tnop" ::: "memory"); }
int text(void) { int n; __asm__(".pushsection .rodata\n.Ltext%=: .asciz \"a;b#c//d\"\n.popsection\n\tlla %0, .Ltext%=\n\tlbu %0, 2(%0)" : "=r"(n)); return n; }
int same(int x) { __asm__(".option push\n\t.option norvc\n\taddi %0, %0, 1\n\tmv %0, %0\n\t.option pop\n\taddi %0, %0, 1" : "+r"(x)); return x; }
