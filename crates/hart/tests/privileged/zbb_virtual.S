# The program `zbb` by a user, on pages that are mapped when they fault.
#define VIRTUAL
#include "zbb.S"
