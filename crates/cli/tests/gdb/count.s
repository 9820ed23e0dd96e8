	.globl _start, again, square, number, total
_start:
	li s0, 3
	la s1, total
again:
	mv a0, s0
	call square
	lw t0, 0(s1)
	add t0, t0, a0
	sw t0, 0(s1)
	lb t1, 1(s1)
	la t2, number
	fld fa0, 0(t2)
	fadd.d fa0, fa0, fa0
	fsd fa0, 0(t2)
	addi s0, s0, -1
	bnez s0, again
	ebreak
square:
	mul a0, a0, a0
	ret
	.data
	.balign 8
number:
	.dword 0x3ff8000000000000
total:
	.word 0
	.word 0x11223344
