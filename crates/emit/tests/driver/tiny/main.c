/* Unpacks every word, prints the data, and packs it again. */
#include <stdint.h>
#include <stdlib.h>

struct op {
   unsigned code;
   uint8_t cond, dst, a, b, immed, is_float;
   int32_t imm, to;
};

enum code {
   OP_ADD,
   OP_SUB_X,
   OP_MUL,
   OP_JUMP,
   OP_STORE
};

struct encode_state {
   unsigned gen;
};

static struct op data;

static inline struct op *
__instruction_create(unsigned code)
{
   data = (struct op){.code = code};
   return &data;
}

static inline unsigned
__instruction_case(struct encode_state *s, const struct op *src)
{
   (void)s;
   return src->code;
}

#include "tiny-encode.h"

#include "tiny-decode.h"

int
main(int argc, char **argv)
{
   struct encode_state s = {.gen = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 0};
   const struct isa_decode_options options = {.gpu_id = s.gen, .show_errors = true};
   uint32_t word;

   while (fread(&word, 4, 1, stdin) == 1) {
      struct op *op = NULL;
      if (!tiny_isa_decode(&op, &word, &options)) {
         puts("none");
         continue;
      }
      const bitmask_t packed = encode__instruction(&s, NULL, op);
      printf("%u %u %u %u %u %u %u %d %d %08x\n", op->code, op->cond, op->dst, op->a, op->b, op->immed, op->is_float,
             (int)op->imm, (int)op->to, (unsigned)packed.bitset[0]);
   }
   return 0;
}
