/* Data types of our own that the maps of ir3 can be read from. Members called x_ are what helpers of a driver work out. */
#include <stddef.h>
#include <stdint.h>

struct ir3_register {
   unsigned cases[40];
   unsigned flags, num, wrmask, x_ABSNEG;
   uint32_t uim_val;
   int32_t iim_val;
   struct {
      int offset;
   } array;
};

struct ir3_instruction {
   unsigned cases[40];
   unsigned flags, repeat, srcs_count;
   struct ir3_register *srcs[6], *dsts[4], *cat5_src[2], *cat6_src[3];
   unsigned x_SRC1_R, x_SRC2_R, x_cat5_FULL, x_cat5_DESC_MODE, x_cat6_DESC_MODE;
   struct {
      int immed;
      unsigned inv1, inv2, idx;
   } cat0;
   struct {
      unsigned round, dst_type, src_type;
   } cat1;
   struct {
      unsigned condition;
   } cat2;
   struct {
      unsigned signedness, packed;
   } cat3;
   struct {
      unsigned tex_base, samp, tex, type, cluster_size;
   } cat5;
   struct {
      unsigned type, d, shfl_mode, typed, base;
      int dst_offset, iim_val;
   } cat6;
   struct {
      unsigned w, r, l, g, alias_scope;
   } cat7;
};

struct encode_state {
   unsigned gen;
   const struct ir3_instruction *instr;
};

static struct ir3_instruction instruction;
static struct ir3_register registers[15];

#define ROOT struct ir3_instruction

static void
link_data(void)
{
   struct ir3_register *next = registers;

   for (unsigned i = 0; i < 15; i++)
      registers[i] = (struct ir3_register){ 0 };
   for (unsigned i = 0; i < 6; i++)
      instruction.srcs[i] = next++;
   for (unsigned i = 0; i < 4; i++)
      instruction.dsts[i] = next++;
   for (unsigned i = 0; i < 2; i++)
      instruction.cat5_src[i] = next++;
   for (unsigned i = 0; i < 3; i++)
      instruction.cat6_src[i] = next++;
   instruction.srcs_count = 6;
}

static inline unsigned
util_logbase2(unsigned n)
{
   unsigned log = 0;

   while (n > 1) {
      n >>= 1;
      log++;
   }
   return log;
}

static inline uint32_t
extract_reg_uim(const struct ir3_register *reg)
{
   return reg->uim_val;
}

static inline int32_t
extract_reg_iim(const struct ir3_register *reg)
{
   return reg->iim_val;
}

#define reg_comp(reg) ((reg)->num & 3)
#define extract_SRC1_R(src) ((src)->x_SRC1_R)
#define extract_SRC2_R(src) ((src)->x_SRC2_R)
#define extract_cat5_FULL(src) ((src)->x_cat5_FULL)
#define extract_cat5_DESC_MODE(src) ((src)->x_cat5_DESC_MODE)
#define extract_cat6_DESC_MODE(src) ((src)->x_cat6_DESC_MODE)
#define extract_ABSNEG(src) ((src)->x_ABSNEG)
#define extract_cat5_SRC(src, n) ((src)->cat5_src[n])
#define extract_cat6_SRC(src, n) ((src)->cat6_src[n])
