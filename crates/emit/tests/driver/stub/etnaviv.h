/* Data types of our own that the maps of etnaviv can be read from. */
#include <stdint.h>

struct etna_inst_dst {
   unsigned use, amode, reg, write_mask;
};

struct etna_inst_src {
   unsigned use, reg, rgroup, amode, swiz, neg, abs;
};

struct etna_inst {
   unsigned cases[40];
   unsigned type, thread, cond, rounding, sat, pmode, skphp, denorm, local, left_shift, dst_full, imm;
   struct etna_inst_dst dst;
   struct etna_inst_src src[3];
   struct {
      unsigned id, swiz;
   } tex;
};

struct encode_state {
   unsigned gen;
   const struct etna_inst *instr;
};

static struct etna_inst instruction;

#define ROOT struct etna_inst

static void
link_data(void)
{
}
