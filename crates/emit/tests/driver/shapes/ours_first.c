/* The generated header, then the driver's own header of the same types. */
#include "fish-isa.h"

#include "compiler/isaspec/isaspec.h"
#include "util/bitset.h"

#define SHAPE_WORD BITSET_WORD
#include "every_option.h"
