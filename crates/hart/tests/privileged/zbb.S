# Zbb: logic with a negated operand, counts, extremes, extensions, rotations, bytes.
#include "bits.inc"
	BITS_BEGIN
	RR andn
	RR orn
	RR xnor
	R_PLACES clz
	R_PLACES ctz
	R_PLACES cpop
	RR max
	RR maxu
	RR min
	RR minu
	R sext.b
	R sext.h
	R zext.h
	RR rol
	RR ror
	RI rori, __riscv_xlen
	R_PLACES orc.b
	R_PLACES rev8
#if __riscv_xlen == 64
	R_PLACES clzw
	R_WORD ctzw
	R_PLACES cpopw
	RR rolw
	RR rorw
	RI roriw, 32
#endif
	BITS_END
