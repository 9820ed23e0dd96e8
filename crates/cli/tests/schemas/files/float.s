	.globl _start
_start:
	li a0, 1
	fcvt.s.w fa0, a0
	ebreak
