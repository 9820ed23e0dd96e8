# The program `zbc` by a user, on pages that are mapped when they fault.
#define VIRTUAL
#include "zbc.S"
