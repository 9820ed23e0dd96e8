/* flags: -Wno-pedantic
 * Packs as a driver does whose data is made of the description's enums, in bit fields; the state has no members, and there
 * is none. */
#include "enums.h"

#include <stdbool.h>
#include <stdint.h>

struct crab_dst {
   unsigned use : 1;
   enum isa_reg_addressing_mode amode : 3;
   unsigned reg : 7;
   enum isa_wrmask write_mask : 4;
};

struct crab_inst {
   enum isa_opc opcode;
   enum isa_cond cond : 5;
   unsigned sat : 1;
   struct crab_dst dst;
   unsigned imm;
};

struct encode_state {};

static inline enum isa_opc
__instruction_case(struct encode_state *s, const struct crab_inst *instr)
{
   (void)s;
   return instr->opcode;
}

#include "crab-encode.h"

#include "crab-isa.h"

static void
assemble_instruction(uint32_t *out, const struct crab_inst *instr)
{
   bitmask_t encoded = encode__instruction(NULL, NULL, instr);

   store_instruction(out, encoded);
}

int
main(void)
{
   static const struct crab_inst instrs[] = {
      {.opcode = ISA_OPC_NOP, .cond = ISA_COND_TRUE},
      {.opcode = ISA_OPC_ADD,
       .cond = ISA_COND_GT,
       .sat = 1,
       .dst = {.use = 1, .amode = ISA_REG_ADDRESSING_MODE_AY, .reg = 100, .write_mask = ISA_WRMASK_X___},
       .imm = 0xffffffff},
      {.opcode = ISA_OPC_LOAD_HI,
       .dst = {.use = 1, .amode = ISA_REG_ADDRESSING_MODE_DIRECT, .reg = 1, .write_mask = ISA_WRMASK_},
       .imm = 7},
   };

   for (unsigned i = 0; i < sizeof(instrs) / sizeof(instrs[0]); i++) {
      uint32_t words[4];

      assemble_instruction(words, &instrs[i]);
      printf("%08x %08x %08x %08x ", words[0], words[1], words[2], words[3]);
      crab_isa_disasm(words, 16, stdout, NULL);
   }
   printf("%d %d\n", (int)sizeof(enum isa_cond), (int)sizeof(enum isa_opc));
   return 0;
}
