	.globl _start, again, patched, mid, total
_start:
	la s2, total
	li s3, 2
once:
	li s0, 100000
	li s1, 0
again:
	add s1, s1, s0
patched:
	xori s1, s1, 0x55
	addi s1, s1, 1
	sw s1, 0(s2)
	addi s0, s0, -1
	bnez s0, again
mid:
	ebreak
	addi s3, s3, -1
	bnez s3, once
	ebreak
	.data
	.balign 4
total:
	.word 0
