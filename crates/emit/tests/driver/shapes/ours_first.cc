/* The same in C++. */
#include "fish-isa.h"

#include "compiler/isaspec/isaspec.h"
#include "util/bitset.h"

#define SHAPE_WORD BITSET_WORD
#include "every_option.h"
