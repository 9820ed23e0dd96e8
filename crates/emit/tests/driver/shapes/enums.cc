/* The enums in C++. */
#include "enums.h"

#include <cstdio>

struct crab_dst {
   isa_reg_addressing_mode amode : 3;
   isa_wrmask write_mask : 4;
};

int
main()
{
   const crab_dst dst = {ISA_REG_ADDRESSING_MODE_AX, ISA_WRMASK_X___};

   printf("%d %d %d\n", (int)dst.amode, (int)dst.write_mask, (int)ISA_OPC_LOAD_HI);
   return 0;
}
