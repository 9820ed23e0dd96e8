// A decoder of instructions: a large switch inside of a large switch.
struct state { unsigned x[32], pc; int stopped; };
static unsigned alu(unsigned f3, unsigned a, unsigned b, int alt) { switch (f3) { case 0: return alt ? a - b : a + b; case 1: return a << (b & 31); case 2: return (int)a < (int)b; case 3: return a < b; case 4: return a ^ b; case 5: return alt ? (unsigned)((int)a >> (b & 31)) : a >> (b & 31); case 6: return a | b; default: return a & b; } }
int step(struct state *s, const unsigned *code, unsigned char *memory) {
  unsigned w = code[s->pc >> 2 & 255], rd = w >> 7 & 31, f3 = w >> 12 & 7, a = s->x[w >> 15 & 31], b = s->x[w >> 20 & 31], next = s->pc + 4, r = s->x[rd];
  switch (w >> 2 & 31) {
  case 0: { unsigned char *p = memory + ((a + ((int)w >> 20)) & 0xfff); r = f3 == 0 ? (unsigned)(signed char)*p : f3 == 4 ? *p : *p | (unsigned)p[1] << 8; break; }
  case 4: r = alu(f3, a, (unsigned)((int)w >> 20), f3 == 5 && w >> 30 & 1); break;
  case 5: r = s->pc + (w & 0xfffff000); break;
  case 8: memory[(a + (w >> 7 & 31)) & 0xfff] = (unsigned char)b; break;
  case 12: r = alu(f3, a, b, w >> 30 & 1); break;
  case 13: r = w & 0xfffff000; break;
  case 24: { int t = 0; switch (f3) { case 0: t = a == b; break; case 1: t = a != b; break; case 4: t = (int)a < (int)b; break; case 5: t = (int)a >= (int)b; break; case 6: t = a < b; break; case 7: t = a >= b; break; default: s->stopped = 2; } if (t) next = s->pc + 8; break; }
  case 25: r = next; next = a & ~1u; break;
  case 27: r = next; next = s->pc + 16; break;
  case 28: s->stopped = 1; break;
  default: s->stopped = 3;
  }
  if (rd) s->x[rd] = r;
  s->pc = next;
  return s->stopped;
}
