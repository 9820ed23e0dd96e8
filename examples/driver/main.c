/* Packs a small program from the driver's own data and prints it. */
#include <stdio.h>

#include "enums.h"
#include "pond-isa.h"

struct pond_inst {
   enum isa_opc opcode;
   enum isa_cond cond;
   unsigned dst, src;
   int imm;
};

struct encode_state {
   unsigned gen;
};

static inline enum isa_opc
__instruction_case(struct encode_state *s, const struct pond_inst *src)
{
   (void)s;
   return src->opcode;
}

#include "pond-encode.h"

int
main(void)
{
   static const struct pond_inst program[] = {
      {.opcode = ISA_OPC_ADD, .dst = 1, .src = 1, .imm = -1},
      {.opcode = ISA_OPC_JUMP, .cond = ISA_COND_LT, .imm = 2},
      {.opcode = ISA_OPC_JUMP, .imm = -2},
      {.opcode = ISA_OPC_ADD, .cond = ISA_COND_EQ, .dst = 2, .src = 1, .imm = 4},
   };
   enum { COUNT = sizeof(program) / sizeof(program[0]) };
   const struct isa_decode_options options = {.show_errors = true, .branch_labels = true};
   struct encode_state s = {.gen = 0};
   uint32_t words[COUNT];

   for (unsigned i = 0; i < COUNT; i++)
      store_instruction(&words[i], encode__instruction(&s, NULL, &program[i]));
   pond_isa_disasm(words, (int)sizeof(words), stdout, &options);
   return 0;
}
