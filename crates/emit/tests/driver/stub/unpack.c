static inline ROOT *
__instruction_create(unsigned code)
{
   link_data();
   instruction = (ROOT){ 0 };
   instruction.cases[ROOT_NUMBER] = code;
   return &instruction;
}

#include "afuc-encode.h"

#include "afuc-decode.h"

int
main(void)
{
   struct encode_state s = { .gen = GENERATION };
   const struct isa_decode_options options = { .gpu_id = GENERATION, .show_errors = true };
   uint32_t word;

   while (fread(&word, 4, 1, stdin) == 1) {
      ROOT *src = NULL;
      bitmask_t packed = { { 0 } };

      if (afuc_isa_decode(&src, &word, &options))
         packed = encode__instruction(&s, NULL, src);
      fwrite(packed.bitset, 4, BITMASK_WORDS, stdout);
   }
   return 0;
}
