/* A data type of our own that the maps of afuc can be read from. */
#include <stdint.h>

struct afuc_instr {
   unsigned cases[40];
   uint32_t dst, src1, src2, immed, bit, shift, literal, rep, xmov, peek, preincrement, sds;
   int32_t offset;
};

struct encode_state {
   unsigned gen;
   const struct afuc_instr *instr;
};

static struct afuc_instr instruction;

#define ROOT struct afuc_instr

static void
link_data(void)
{
}
