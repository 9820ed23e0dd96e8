# The program `zba` by a user, on pages that are mapped when they fault.
#define VIRTUAL
#include "zba.S"
