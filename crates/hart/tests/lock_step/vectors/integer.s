# Numbers of 32 and 8 bits in strips, beside the same with scalars: sums of products, saturation, wide products, masks, a reduction.
# features zve64x zvl128b
	la s0, one
	la s1, two
	li s2, 300
	# one[i] = i * 2654435761, two[i] = i * i - 77.
	li t0, 0
	li t1, 0x9e3779b1
fill:
	mul t2, t0, t1
	slli t3, t0, 2
	add t4, s0, t3
	sw t2, (t4)
	mul t2, t0, t0
	addi t2, t2, -77
	add t4, s1, t3
	sw t2, (t4)
	addi t0, t0, 1
	bltu t0, s2, fill

	li s3, 7
turn:
	# three = one * turn + two where one is odd, else two - one.
	mv a0, s2
	mv a1, s0
	mv a2, s1
	la a3, three
strip:
	vsetvli t0, a0, e32, m2, ta, mu
	vle32.v v8, (a1)
	vle32.v v12, (a2)
	vand.vi v4, v8, 1
	vmsne.vi v0, v4, 0
	vsub.vv v16, v12, v8
	vmv.v.v v20, v12
	vmacc.vx v20, s3, v8
	vmerge.vvm v16, v16, v20, v0
	vse32.v v16, (a3)
	slli t1, t0, 2
	add a1, a1, t1
	add a2, a2, t1
	add a3, a3, t1
	sub a0, a0, t0
	bnez a0, strip

	la a3, three
	li t0, 0
check:
	slli t1, t0, 2
	add t2, s0, t1
	lw t2, (t2)
	add t3, s1, t1
	lw t3, (t3)
	andi t4, t2, 1
	beqz t4, even
	mul t4, t2, s3
	add t4, t4, t3
	j have
even:
	sub t4, t3, t2
have:
	add t5, a3, t1
	lw t5, (t5)
	xor t4, t4, t5
	# Of the lower bits alone: registers of 64 bits have more.
	li t2, 0xffffff
	and t5, t4, t2
	bnez t5, fail
	addi t0, t0, 1
	bltu t0, s2, check

	# The sum of all, by a reduction.
	vsetvli t0, zero, e32, m1, ta, ma
	vmv.s.x v1, zero
	mv a0, s2
	la a1, three
sum:
	vsetvli t0, a0, e32, m4, ta, ma
	vle32.v v8, (a1)
	vredsum.vs v1, v8, v1
	slli t1, t0, 2
	add a1, a1, t1
	sub a0, a0, t0
	bnez a0, sum
	vmv.x.s t6, v1
	la a1, three
	li t0, 0
	li t2, 0
add:
	lw t1, (a1)
	add t2, t2, t1
	addi a1, a1, 4
	addi t0, t0, 1
	bltu t0, s2, add
	sub t2, t2, t6
	li t1, 0xffffff
	and t2, t2, t1
	bnez t2, fail
	addi s3, s3, -1
	bnez s3, turn

	# Bytes: sums without sign that stay at 255, and products of twice the width.
	li a0, 256
	mv a1, s0
	mv a2, s1
	la a3, bytes
	la a4, halves
saturate:
	vsetvli t0, a0, e8, m1, ta, ma
	vle8.v v1, (a1)
	vle8.v v2, (a2)
	vsaddu.vv v3, v1, v2
	vwmulu.vv v4, v1, v2
	vse8.v v3, (a3)
	slli t1, t0, 1
	vsetvli t0, t0, e16, m2, ta, ma
	vse16.v v4, (a4)
	srli t1, t1, 1
	add a1, a1, t1
	add a2, a2, t1
	add a3, a3, t1
	slli t2, t1, 1
	add a4, a4, t2
	sub a0, a0, t1
	bnez a0, saturate
	csrr s4, vxsat
	beqz s4, fail
	li t0, 0
	li s5, 256
	la a3, bytes
	la a4, halves
compare:
	add t1, s0, t0
	lbu t1, (t1)
	add t2, s1, t0
	lbu t2, (t2)
	mul t3, t1, t2
	add t1, t1, t2
	li t2, 255
	bleu t1, t2, small
	mv t1, t2
small:
	add t4, a3, t0
	lbu t4, (t4)
	bne t1, t4, fail
	slli t5, t0, 1
	add t5, a4, t5
	lhu t5, (t5)
	bne t3, t5, fail
	addi t0, t0, 1
	bltu t0, s5, compare
	ebreak
fail:
	.word 0
	.data
	.balign 16
one:	.zero 1280
two:	.zero 1280
three:	.zero 1280
bytes:	.zero 256
halves:	.zero 512
