/* Packs instructions of two lengths into bytes, prints them with labels, and walks over them. What an instruction does not
 * have is told, and so is a value that does not fit. */
#include <stdio.h>
#include <string.h>

#include "squid-isa.h"

enum {
   OP_MOVE,
   OP_FLIP,
   OP_SKIP,
   OP_LOAD,
   OP_HALT
};

struct squid_inst {
   int op;
   unsigned a, b;
   uint32_t imm;
   int to;
};

struct encode_state {
   unsigned gen;
};

static inline int
__instruction_case(struct encode_state *s, const struct squid_inst *src)
{
   (void)s;
   return src->op;
}

#define ISA_ENCODE_RANGE(s, field, value) printf("range: %s %llx\n", field, (unsigned long long)(value))
#define ISA_ENCODE_UNHANDLED(s, space, number) printf("unhandled: %s %d\n", space, (int)(number))
#include "squid-encode.h"

static void
on_before(void *data, unsigned n, void *instr)
{
   const uint32_t *words = (const uint32_t *)instr;

   (void)data;
   printf("%2u %04x%08x: ", n, (unsigned)words[1], (unsigned)words[0]);
}

static void
on_no_match(FILE *out, const uint32_t *bitset, size_t size)
{
   fprintf(out, "%u words, %x\n", (unsigned)size, (unsigned)bitset[0]);
}

int
main(void)
{
   static const struct squid_inst program[] = {
      {.op = OP_MOVE, .a = 1, .b = 2},
      {.op = OP_LOAD, .a = 3, .imm = 0x12345678},
      {.op = OP_MOVE, .a = 15, .b = 8},
      {.op = OP_FLIP, .a = 7, .b = 3},
      {.op = OP_SKIP, .to = -12},
      {.op = OP_MOVE, .a = 1, .b = 0},
      {.op = OP_FLIP, .a = 1, .b = 2},
      {.op = OP_MOVE, .a = 16, .b = 1},
      {.op = OP_HALT},
   };
   const struct isa_entrypoint entry = {"second", 2};
   struct isa_decode_options options = {
      .show_errors = true,
      .branch_labels = true,
      .pre_instr_cb = on_before,
      .no_match_cb = on_no_match,
      .entrypoint_count = 1,
      .entrypoints = &entry,
   };
   struct encode_state s = {.gen = 0};
   unsigned char bytes[64];
   size_t size = 0;

   for (unsigned i = 0; i < sizeof(program) / sizeof(program[0]); i++)
      size += store_bytes(bytes + size, encode__instruction(&s, NULL, &program[i]));
   for (size_t i = 0; i < size; i++)
      printf("%02x%s", bytes[i], i + 1 < size ? " " : "\n");
   squid_isa_disasm(bytes, (int)size, stdout, &options);
   for (size_t at = 0, length; (length = squid_isa_length(bytes + at, size - at)) != 0; at += length)
      printf("%d", (int)length * 10 + squid_isa_decode(NULL, bytes + at, &options));
   putchar('\n');
   return 0;
}
