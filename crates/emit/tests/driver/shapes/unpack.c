/* An emulator: it unpacks words into instructions that it makes itself, and packs them again. */
#include <stdint.h>
#include <stdlib.h>

typedef enum {
   OPC_ADDI = 3,
   OPC_JUMP = 9
} opc_t;

struct eel_instr {
   opc_t opc;
   uint8_t dst, src1;
   uint16_t immed;
   int offset;
};

struct encode_state {
   unsigned gen;
};

static inline struct eel_instr *
__instruction_create(opc_t opc)
{
   struct eel_instr *instr = (struct eel_instr *)calloc(1, sizeof(*instr));

   if (!instr)
      abort();
   instr->opc = opc;
   return instr;
}

static inline opc_t
__instruction_case(struct encode_state *s, const struct eel_instr *src)
{
   (void)s;
   return src->opc;
}

#include "eel-encode.h"

#include "eel-decode.h"

int
main(void)
{
   static uint32_t words[] = {0x048d1443, 0x08000002, 0x0bfffffe, 0xffffffff};
   static const struct isa_decode_options options = {.gpu_id = 7, .show_errors = true};
   struct encode_state s = {.gen = 7};

   for (unsigned i = 0; i < 4; i++) {
      struct eel_instr *instr = NULL;

      if (!eel_isa_decode(&instr, &words[i], &options)) {
         printf("%08x: none\n", (unsigned)words[i]);
         continue;
      }
      const bitmask_t packed = encode__instruction(&s, NULL, instr);
      printf("%08x: %d %u %u %x %d, %08x\n", (unsigned)words[i], (int)instr->opc, instr->dst, instr->src1,
             (unsigned)instr->immed, instr->offset, (unsigned)packed.bitset[0]);
      free(instr);
   }
   return 0;
}
