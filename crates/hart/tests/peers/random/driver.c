/* Runs each random program on a bare machine, from a state of its own, and prints a line for it: sums of the integer registers, of those
   of floating point and of vectors, of control registers, of memory and of the traps, and how many traps there were. VLENB, the
   bytes of a vector register, is given by who compiles this; with SHOW, the number of a program, all that it sums is printed as well. */
typedef unsigned long long u64;
typedef unsigned long word;

#define AREA_WORDS 512
#define MAX_TRAPS 512

/* What enter.S knows by offsets: see there. */
struct state {
	word x[32];
	u64 f[32];
	u64 fcsr, vl, vtype, vcsr, vstart;
	unsigned char v[32 * VLENB];
};
struct trap { word cause, pc, value, vstart, vtype, vl, fcsr, none; };

struct state state;
struct trap traps[MAX_TRAPS];
word trap_count;
void enter(word pc, word level, word units);
extern const struct program { word start, end, seed, kind; } programs[], programs_end[];
word program_end;
volatile u64 tohost __attribute__((section(".tohost"), aligned(64))), fromhost __attribute__((section(".tohost"), aligned(64)));
#define AREA ((u64 *)0x87fff000)

static void put(char c)
{
#if __riscv_xlen == 64
	tohost = 0x0101000000000000 | (unsigned char)c;
#else
	((volatile word *)&tohost)[0] = (unsigned char)c;
	((volatile word *)&tohost)[1] = 0x01010000;
#endif
	while (((volatile unsigned *)&tohost)[1])
		;
}

static void hex(u64 value, int digits)
{
	while (digits--)
		put("0123456789abcdef"[value >> 4 * digits & 15]);
	put(' ');
}

static u64 seed;
static u64 any(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static const u64 special[] = {
	0, 1, 2, -1ull, -2ull, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff, 1ull << 63, (1ull << 63) - 1,
	0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0x00800000, 0x80000001, 0x7f7fffff,
	0x3ff0000000000000, 0xbff0000000000000, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000, 0x7ff0000000000001,
	0x0010000000000000, 0x7fefffffffffffff, 0x8000000000000001, 0xffffffff3f800000, 0xffffffff7f800001, 0xffffffffffff3c00,
	0xffffffffffff7c01,
};

static u64 number(void)
{
	u64 r = any();
	switch (r >> 8 & 7) {
	case 0: case 1: case 2:
		return special[(unsigned)(r >> 16 & 0xffff) % (sizeof special / sizeof *special)];
	case 3:
		return r >> 20 & 63;
	/* Floating point near to one. */
	case 4:
		return 0x3ff0000000000000 ^ any() & 0x80300000ffffffff;
	case 5:
		return 0xffffffff3f800000 ^ any() & 0x81ffffff;
	default:
		return any();
	}
}

static u64 sum_of(const void *at, unsigned bytes)
{
	u64 sum = bytes;
	for (const unsigned char *b = at; bytes--; b++)
		sum = (sum ^ *b) * 0x100000001b3;
	return sum;
}

#ifdef SHOW
static void show(const char *name, const void *at, unsigned size, unsigned count)
{
	for (unsigned n = 0; n < count; n++) {
		for (const char *c = name; *c; c++)
			put(*c);
		put(' ');
		hex(n, 3);
		const unsigned char *b = (const unsigned char *)at + n * size;
		for (unsigned i = size; i--;) {
			put("0123456789abcdef"[b[i] >> 4]);
			put("0123456789abcdef"[b[i] & 15]);
		}
		put('\n');
	}
}
#endif

void run(void)
{
	for (const struct program *p = programs; p < programs_end; p++) {
		seed = (u64)p->seed * 0x9e3779b97f4a7c15 | 1;
		for (int i = 0; i < 32; i++)
			state.x[i] = number(), state.f[i] = number();
		for (unsigned i = 0; i < 32 * VLENB; i += 8) {
			u64 value = number();
			for (int k = 0; k < 8; k++)
				state.v[i + k] = value >> 8 * k;
		}
		for (int i = 0; i < AREA_WORDS; i++)
			AREA[i] = number();
		/* The stack, the middle of the area, near to its end where no memory is, and for atomic instructions. */
		state.x[2] = (word)AREA + 1024;
		state.x[8] = (word)AREA + 2048;
		state.x[9] = (word)AREA + 4096 - 64;
		state.x[18] = (word)AREA + 512;
		/* A stride that keeps elements aligned: see words.rs. And where nothing is. */
		state.x[20] = (word)(any() % 6) * 8 - 16;
		state.x[21] = 0x60000000;
		state.fcsr = any() & 0x1f | (any() >> 20) % 5 << 5;
		state.vcsr = any() & 7;
		state.vl = state.vtype = state.vstart = 0;
		for (unsigned i = 0; i < MAX_TRAPS; i++)
			traps[i].vtype = traps[i].vl = 0;
		trap_count = 0;
		program_end = p->end;
		/* Bit 0: at the level of users; above it the units that are off. */
		enter(p->start, p->kind & 1 ? 0 : 3, p->kind >> 1);
		for (word i = 0; i < trap_count; i++)
			if (traps[i].pc >= p->start && traps[i].pc < p->end)
				traps[i].pc -= p->start;
#ifdef SHOW
		if (p - programs == SHOW) {
			show("x", state.x, sizeof(word), 32);
			show("f", state.f, 8, 32);
			show("c", &state.fcsr, 8, 5);
			show("v", state.v, VLENB, 32);
			show("t", traps, sizeof(struct trap), trap_count);
			show("m", AREA, 8, AREA_WORDS);
		}
#endif
		hex(sum_of(state.x, sizeof state.x), 16);
		hex(sum_of(state.f, sizeof state.f), 16);
		hex(sum_of(state.v, sizeof state.v), 16);
		hex(sum_of(&state.fcsr, 40), 16);
		hex(sum_of(AREA, AREA_WORDS * 8), 16);
		hex(sum_of(traps, trap_count * sizeof(struct trap)), 16);
		hex(trap_count, 3);
		put('\n');
	}
	((volatile unsigned *)&tohost)[0] = 1;
	((volatile unsigned *)&tohost)[1] = 0;
	for (;;)
		;
}
