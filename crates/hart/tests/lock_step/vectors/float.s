# Floating point of both precisions in strips, beside the same with scalars: fused products, roots, quotients, conversions, comparisons, sums in order,
# rounding modes and flags.
# features zve64d zvl128b f d
	la s0, one
	la s1, two
	la s2, three
	li s3, 40
	# one[i] = (i + 1) * 1.25, two[i] = i / 3 - 5.
	li t0, 0
	la t1, constants
	fld fs0, (t1)
	fld fs1, 8(t1)
	fld fs2, 16(t1)
fill:
	addi t2, t0, 1
	fcvt.d.w ft0, t2
	fmul.d ft0, ft0, fs0
	slli t3, t0, 3
	add t4, s0, t3
	fsd ft0, (t4)
	fcvt.d.w ft1, t0
	fdiv.d ft1, ft1, fs1
	fsub.d ft1, ft1, fs2
	add t4, s1, t3
	fsd ft1, (t4)
	addi t0, t0, 1
	bltu t0, s3, fill

	li s4, 4
turn:
	# A rounding mode for each turn: 4 to 1.
	fsrm s4
	fsflags zero
	mv a0, s3
	mv a1, s0
	mv a2, s1
	mv a3, s2
strip:
	vsetvli t0, a0, e64, m2, ta, mu
	vle64.v v2, (a1)
	vle64.v v4, (a2)
	vfsqrt.v v6, v2
	vfdiv.vv v8, v4, v6
	vfmadd.vf v6, fs1, v4
	vmflt.vv v0, v4, v2
	vfneg.v v8, v8, v0.t
	vfsub.vv v6, v6, v8
	vse64.v v6, (a3)
	slli t1, t0, 3
	add a1, a1, t1
	add a2, a2, t1
	add a3, a3, t1
	sub a0, a0, t0
	bnez a0, strip
	frflags s5
	fsflags zero
	li t0, 0
check:
	slli t1, t0, 3
	add t2, s0, t1
	fld ft0, (t2)
	add t2, s1, t1
	fld ft1, (t2)
	fsqrt.d ft2, ft0
	fdiv.d ft3, ft1, ft2
	fmadd.d ft2, fs1, ft2, ft1
	flt.d t2, ft1, ft0
	beqz t2, kept
	fneg.d ft3, ft3
kept:
	fsub.d ft2, ft2, ft3
	add t2, s2, t1
	fld ft4, (t2)
	feq.d t3, ft2, ft4
	beqz t3, fail
	addi t0, t0, 1
	bltu t0, s3, check
	frflags s6
	bne s5, s6, fail

	# To single precision, their sum in order, and numbers of 32 bits.
	fmv.w.x ft5, zero
	mv a0, s3
	mv a1, s2
	la a3, singles
single:
	vsetvli t0, a0, e32, m1, ta, ma
	vle64.v v4, (a1)
	vfncvt.f.f.w v8, v4
	vse32.v v8, (a3)
	vfmv.s.f v9, ft5
	vfredosum.vs v9, v8, v9
	vfmv.f.s ft5, v9
	vfcvt.x.f.v v10, v8
	la a4, words
	slli t1, t0, 2
	sub t2, a0, t0
	vse32.v v10, (a4)
	# The first of them by a scalar.
	flw ft6, (a3)
	fcvt.w.s t3, ft6
	lw t4, (a4)
	bne t3, t4, fail
	add a3, a3, t1
	slli t1, t0, 3
	add a1, a1, t1
	mv a0, t2
	bnez a0, single
	fmv.w.x ft6, zero
	la a3, singles
	mv a1, s2
	li t0, 0
sum:
	fld ft7, (a1)
	fcvt.s.d ft7, ft7
	flw ft8, (a3)
	feq.s t1, ft7, ft8
	beqz t1, fail
	fadd.s ft6, ft6, ft7
	addi a1, a1, 8
	addi a3, a3, 4
	addi t0, t0, 1
	bltu t0, s3, sum
	feq.s t1, ft5, ft6
	beqz t1, fail
	addi s4, s4, -1
	bnez s4, turn
	ebreak
fail:
	.word 0
	.data
	.balign 16
constants:
	.dword 0x3ff4000000000000, 0x4008000000000000, 0x4014000000000000
one:	.zero 512
two:	.zero 512
three:	.zero 512
singles:	.zero 512
words:	.zero 512
