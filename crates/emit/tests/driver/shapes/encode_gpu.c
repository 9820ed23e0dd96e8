/* Packs as a shader compiler does: its instructions point to registers, the gen is the compiler's, and which leaf an
 * instruction or a source is follows from flags. Then the words are printed. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "util/bitset.h"

#include "fish-isa.h"

enum {
   FISH_SY = 1 << 0,
   FISH_HALF = 1 << 1,
   FISH_IMMED = 1 << 2
};

typedef enum {
   OPC_ADD_F,
   OPC_MUL_F,
   OPC_BR,
   OPC_CALL,
   OPC_READ,
   OPC_WRITE,
   OPC_RAW
} opc_t;

struct fish_register {
   unsigned flags;
   uint16_t num;
   int32_t immed;
};

struct fish_instruction {
   opc_t opc;
   unsigned flags, srcs_count;
   struct fish_register *dst, **srcs;
   int offset;
   unsigned cond;
   uint64_t raw;
};

struct fish_compiler {
   unsigned gen;
};

struct bitset_params;

struct encode_state {
   unsigned gen;
   struct fish_compiler *compiler;
   const struct fish_instruction *instr;
};

static inline int32_t
extract_immed(const struct fish_register *reg)
{
   assert(reg->flags & FISH_IMMED);
   return reg->immed;
}

static inline struct fish_register *
extract_src(const struct fish_instruction *instr, unsigned n)
{
   assert(n < instr->srcs_count);
   return instr->srcs[n];
}

static inline bool
extract_full(const struct fish_instruction *instr)
{
   return !(extract_src(instr, 0)->flags & FISH_HALF);
}

static inline opc_t
__instruction_case(struct encode_state *s, const struct fish_instruction *instr)
{
   /* What one gen calls otherwise. */
   if (instr->opc == OPC_WRITE && s->compiler->gen < 5)
      return OPC_READ;
   return instr->opc;
}

typedef enum {
   REG_SRC_GPR,
   REG_SRC_IMMED
} reg_src_t;

static inline reg_src_t
__src_case(struct encode_state *s, const struct fish_register *reg)
{
   assert(s->instr);
   return reg->flags & FISH_IMMED ? REG_SRC_IMMED : REG_SRC_GPR;
}

#include "fish-encode.h"

static BITSET_WORD *
assemble(struct fish_compiler *compiler, struct fish_instruction *instrs, unsigned count)
{
   BITSET_WORD *ptr, *words;

   ptr = words = (BITSET_WORD *)calloc(count * BITMASK_WORDS, sizeof(BITSET_WORD));
   if (!ptr)
      abort();
   for (unsigned i = 0; i < count; i++) {
      struct encode_state s = {
         .gen = compiler->gen * 100,
         .compiler = compiler,
         .instr = &instrs[i],
      };
      bitmask_t encoded;

      if (instrs[i].opc == OPC_RAW)
         encoded = uint64_t_to_bitmask(instrs[i].raw);
      else
         encoded = encode__instruction(&s, NULL, &instrs[i]);
      store_instruction(words, encoded);
      words += BITMASK_WORDS;
   }
   return ptr;
}

int
main(void)
{
   struct fish_register r3 = {.num = 3}, h4 = {.flags = FISH_HALF, .num = 4}, r255 = {.num = 255};
   struct fish_register minus = {.flags = FISH_IMMED, .immed = -2}, many = {.flags = FISH_IMMED, .immed = 0x77};
   struct fish_register *regs[] = {&r3, &minus}, *halfs[] = {&h4, &r255}, *both[] = {&many, &many};
   struct fish_instruction instrs[] = {
      {.opc = OPC_ADD_F, .dst = &r3, .srcs = regs, .srcs_count = 2},
      {.opc = OPC_MUL_F, .flags = FISH_SY, .dst = &r255, .srcs = halfs, .srcs_count = 2},
      {.opc = OPC_BR, .offset = -2, .cond = 2},
      {.opc = OPC_CALL, .offset = 7},
      {.opc = OPC_READ, .dst = &r3, .srcs = both, .srcs_count = 2},
      {.opc = OPC_WRITE, .dst = &r3, .srcs = both, .srcs_count = 2},
      {.opc = OPC_RAW, .raw = UINT64_C(0x4000000000010001)},
   };
   const unsigned count = sizeof(instrs) / sizeof(instrs[0]);

   for (unsigned gen = 4; gen <= 6; gen++) {
      struct fish_compiler compiler = {.gen = gen};
      const struct isa_decode_options options = {.gpu_id = gen * 100, .show_errors = true};
      BITSET_WORD *words = assemble(&compiler, instrs, count);

      for (unsigned i = 0; i < count; i++)
         printf("%08x%08x\n", words[2 * i + 1], words[2 * i]);
      fish_isa_disasm(words, (int)(8 * count), stdout, &options);
      free(words);
   }
   return 0;
}
