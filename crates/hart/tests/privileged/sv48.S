# The programs of `paging` with one table more.
#if __riscv_xlen == 64
# define SV48
#endif
#include "paging.S"
