/* Runs each case under QEMU's user mode: registers of vectors, control registers and operands as the case says, one instruction, and
   everything that can have changed written to standard output. A signal is a result: the instruction is left out. */
typedef unsigned long long u64;
/* VLENB, the bytes of a vector register, is given by who compiles this. */
struct state { u64 vl, vtype, vstart, vcsr, fcsr, a0, a1, a2, fa0; unsigned char v[32 * VLENB]; };
struct result { unsigned char v[32 * VLENB]; u64 vl, vtype, vcsr, fcsr, vstart, a3, fa1, signal, sum; };
extern const struct state cases[], cases_end[];
extern const unsigned long stubs[];
void one(const struct state *, struct result *, unsigned long stub);
static volatile int caught;
#if __riscv_xlen == 64
#define PC 22
#else
#define PC 40
#endif
static struct result results[256];

static long call(long number, long a, long b, long c, long d, long e, long f)
{
	register long a0 asm("a0") = a, a1 asm("a1") = b, a2 asm("a2") = c, a3 asm("a3") = d, a4 asm("a4") = e, a5 asm("a5") = f;
	register long a7 asm("a7") = number;
	asm volatile("ecall" : "+r"(a0) : "r"(a1), "r"(a2), "r"(a3), "r"(a4), "r"(a5), "r"(a7) : "memory");
	return a0;
}

static void handler(int signal, void *info, unsigned long *context)
{
	caught = signal;
	context[PC] += 4;
}

#define MEMORY ((u64 *)0x60000000)
#define WORDS 512

void start(void)
{
	struct { void *handler; unsigned long flags, mask[2]; } action = { handler, 4, {0, 0} };
	for (int signal = 1; signal < 32; signal++)
		call(134, signal, (long)&action, 0, 8, 0, 0);
	call(222, (long)MEMORY, WORDS * 8, 3, 0x32, -1, 0);
	unsigned count = 0;
	for (const struct state *c = cases; c < cases_end; c++) {
		struct result *r = results + count;
		for (u64 i = 0; i < WORDS; i++)
			MEMORY[i] = i * 0x9e3779b97f4a7c15;
		caught = 0;
		one(c, r, stubs[0] + 8 * (c - cases));
		r->signal = caught;
		u64 sum = 0;
		for (u64 i = 0; i < WORDS; i++)
			sum = (sum ^ MEMORY[i]) * 0x100000001b3;
		r->sum = sum;
		if (++count == 256 || c + 1 == cases_end) {
			const char *at = (const char *)results;
			long left = count * sizeof(struct result);
			while (left > 0) {
				long done = call(64, 1, (long)at, left, 0, 0, 0);
				if (done <= 0)
					call(93, 1, 0, 0, 0, 0, 0);
				at += done;
				left -= done;
			}
			count = 0;
		}
	}
	call(93, 0, 0, 0, 0, 0, 0);
}
