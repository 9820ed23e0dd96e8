# Zbs: single bits.
#include "bits.inc"
	BITS_BEGIN
	RR bclr
	RR bext
	RR binv
	RR bset
	RI bclri, __riscv_xlen
	RI bexti, __riscv_xlen
	RI binvi, __riscv_xlen
	RI bseti, __riscv_xlen
	BITS_END
