# The same with the deeper schemes of RV64.
#define SV48
#include "paging.S"
