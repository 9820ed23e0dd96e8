# Zba: shifts and adds, and words without sign.
#include "bits.inc"
	BITS_BEGIN
	RR sh1add
	RR sh2add
	RR sh3add
#if __riscv_xlen == 64
	RR add.uw
	RR sh1add.uw
	RR sh2add.uw
	RR sh3add.uw
	R zext.w
	RI slli.uw, 64
#endif
	BITS_END
