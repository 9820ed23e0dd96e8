	.globl _start
_start:
	li a0, 1
	jal work
	ebreak
work:
	nop
	fadd.s fa0, fa1, fa2
	ret
