# Zbc: products without carries.
#include "bits.inc"
	BITS_BEGIN
	RR clmul
	RR clmulh
	RR clmulr
	BITS_END
