/* The headers of three sets in one file, around the driver's own. */
#include "crab-isa.h"
#include "eel-isa.h"

#include "compiler/isaspec/isaspec.h"

#include "fish-isa.h"

int
main(void)
{
   uint32_t fish[2] = {0x05000403, 0x20000100}, crab[4] = {0x00722841, 0, 0, 77}, eel[1] = {0x08000002};
   const struct isa_decode_options options = {.gpu_id = 6, .show_errors = true};

   fish_isa_disasm(fish, 8, stdout, &options);
   crab_isa_disasm(crab, 16, stdout, &options);
   eel_isa_disasm(eel, 4, stdout, &options);
   return 0;
}
