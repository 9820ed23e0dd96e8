/* The same in C++. */
#include "compiler/isaspec/isaspec.h"

#include "fish-isa.h"

#define SHAPE_WORD BITSET_WORD
#include "every_option.h"
