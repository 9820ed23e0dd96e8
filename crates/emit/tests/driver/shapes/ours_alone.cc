/* The same in C++. */
#include "fish-isa.h"

#ifdef BITSET_WORD
#error "a driver may have its own BITSET_WORD"
#endif

#define SHAPE_WORD uint32_t
#include "every_option.h"
