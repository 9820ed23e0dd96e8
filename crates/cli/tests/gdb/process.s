	.globl _start, value
_start:
	la a1, value
	li a0, 1
	li a2, 6
	li a7, 64
	ecall
	lw a0, 8(a1)
	li a7, 93
	ecall
	.data
	.balign 8
value:
	.asciz "hello\n"
	.balign 8
	.word 5
