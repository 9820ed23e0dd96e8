/* What the driver's own bit sets are called. */
#ifndef BITSET_H
#define BITSET_H

#define BITSET_WORD unsigned int

#endif
