# The program `zbs` by a user, on pages that are mapped when they fault.
#define VIRTUAL
#include "zbs.S"
