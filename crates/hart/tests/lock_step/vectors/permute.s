# Elements at other places, beside the same with scalars: slides, gathers, what a mask keeps, numbers of elements, extensions.
# features zve64x zvl128b
	la s0, from
	la s1, to
	li s2, 8
	li t0, 0
fill:
	slli t1, t0, 1
	add t1, s0, t1
	mul t2, t0, t0
	addi t2, t2, 11
	sh t2, (t1)
	addi t0, t0, 1
	bltu t0, s2, fill
	li s3, 7
turn:
	vsetivli zero, 8, e16, m1, tu, mu
	vle16.v v2, (s0)
	# To the right by s3 % 8, the start kept; then to the left again.
	vmv.v.i v3, -1
	vslideup.vx v3, v2, s3
	vmv.v.i v4, -1
	vslidedown.vx v4, v3, s3
	vse16.v v4, (s1)
	li t0, 0
slides:
	slli t1, t0, 1
	add t2, s1, t1
	lh t2, (t2)
	add t3, t0, s3
	bgeu t3, s2, above
	add t3, s0, t1
	lh t3, (t3)
	j slid
above:
	li t3, 0
slid:
	bne t2, t3, fail
	addi t0, t0, 1
	bltu t0, s2, slides

	# Backwards by a gather.
	vid.v v5
	vrsub.vi v5, v5, 7
	vrgather.vv v6, v2, v5
	vse16.v v6, (s1)
	li t0, 0
gathered:
	slli t1, t0, 1
	add t2, s1, t1
	lh t2, (t2)
	sub t3, s2, t0
	addi t3, t3, -1
	slli t3, t3, 1
	add t3, s0, t3
	lh t3, (t3)
	bne t2, t3, fail
	addi t0, t0, 1
	bltu t0, s2, gathered

	# What the bits of s3 keep, how many before each, how many in all, and the first.
	vmv.s.x v0, s3
	vcompress.vm v7, v2, v0
	viota.m v8, v0
	vcpop.m t5, v0
	vfirst.m t6, v0
	vse16.v v7, (s1)
	la a1, sums
	vse16.v v8, (a1)
	li t0, 0
	li t4, 0
kept:
	slli t1, t0, 1
	add t1, a1, t1
	lhu t1, (t1)
	bne t1, t4, fail
	srl t1, s3, t0
	andi t1, t1, 1
	beqz t1, dropped
	bnez t4, later
	bne t6, t0, fail
later:
	slli t1, t4, 1
	add t1, s1, t1
	lh t1, (t1)
	slli t2, t0, 1
	add t2, s0, t2
	lh t2, (t2)
	bne t1, t2, fail
	addi t4, t4, 1
dropped:
	addi t0, t0, 1
	bltu t0, s2, kept
	bne t4, t5, fail

	# With a sign to 32 bits, and the high half of it.
	vsetivli zero, 8, e32, m2, ta, ma
	vsext.vf2 v10, v2
	vsll.vi v10, v10, 12
	vsetivli zero, 8, e16, m1, ta, ma
	vnsra.wi v12, v10, 12
	vse16.v v12, (s1)
	li t0, 0
narrow:
	slli t1, t0, 1
	add t2, s1, t1
	lh t2, (t2)
	add t3, s0, t1
	lh t3, (t3)
	bne t2, t3, fail
	addi t0, t0, 1
	bltu t0, s2, narrow
	addi s3, s3, -1
	bnez s3, turn
	ebreak
fail:
	.word 0
	.data
	.balign 16
from:	.zero 64
to:	.zero 64
sums:	.zero 64
