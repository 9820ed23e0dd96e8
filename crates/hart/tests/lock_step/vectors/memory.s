# Every way to reach memory, beside the same with scalars: strips, strides, segments, places in a register, the first that faults, whole
# registers, masks.
# features zve64x zvl128b
	la s0, from
	li t0, 0
	li t1, 2048
fill:
	add t2, s0, t0
	xori t3, t0, 0x5a
	ori t3, t3, 1
	sb t3, (t2)
	addi t0, t0, 1
	bltu t0, t1, fill

	li s11, 6
turn:
	# All 1024 bytes, s11 bytes off the start.
	add a1, s0, s11
	la a2, to
	li a0, 1024
copy:
	vsetvli t0, a0, e8, m8, ta, ma
	vle8.v v8, (a1)
	vse8.v v8, (a2)
	add a1, a1, t0
	add a2, a2, t0
	sub a0, a0, t0
	bnez a0, copy
	add a1, s0, s11
	la a2, to
	li a0, 1024
same:
	lbu t1, (a1)
	lbu t2, (a2)
	bne t1, t2, fail
	addi a1, a1, 1
	addi a2, a2, 1
	addi a0, a0, -1
	bnez a0, same

	# Every third byte, from the end to the start.
	addi a1, s0, 1024
	li a3, -3
	la a2, to
	li a0, 64
stride:
	vsetvli t0, a0, e8, m2, ta, ma
	vlse8.v v8, (a1), a3
	vse8.v v8, (a2)
	mul t1, t0, a3
	add a1, a1, t1
	add a2, a2, t0
	sub a0, a0, t0
	bnez a0, stride
	addi a1, s0, 1024
	la a2, to
	li a0, 64
strided:
	lbu t1, (a1)
	lbu t2, (a2)
	bne t1, t2, fail
	addi a1, a1, -3
	addi a2, a2, 1
	addi a0, a0, -1
	bnez a0, strided

	# Three fields of 16 bits apart and together again, the first and the last exchanged.
	mv a1, s0
	la a2, to
	li a0, 100
segments:
	vsetvli t0, a0, e16, m1, ta, ma
	vlseg3e16.v v4, (a1)
	vmv.v.v v8, v6
	vmv.v.v v9, v5
	vmv.v.v v10, v4
	vsseg3e16.v v8, (a2)
	slli t1, t0, 1
	add t1, t1, t0
	slli t1, t1, 1
	add a1, a1, t1
	add a2, a2, t1
	sub a0, a0, t0
	bnez a0, segments
	mv a1, s0
	la a2, to
	li a0, 100
fields:
	lhu t1, (a1)
	lhu t2, 4(a2)
	bne t1, t2, fail
	lhu t1, 2(a1)
	lhu t2, 2(a2)
	bne t1, t2, fail
	lhu t1, 4(a1)
	lhu t2, (a2)
	bne t1, t2, fail
	addi a1, a1, 6
	addi a2, a2, 6
	addi a0, a0, -1
	bnez a0, fields

	# Words at places that a register has: from[8 * (7 * i & 15)], then stored to to[4 * i] in any order.
	vsetivli t0, 4, e32, m1, ta, ma
	vid.v v1
	vmul.vx v1, v1, s11
	vand.vi v1, v1, 15
	vsll.vi v1, v1, 3
	vluxei32.v v2, (s0), v1
	vid.v v3
	vsll.vi v3, v3, 2
	la a2, to
	vsoxei32.v v2, (a2), v3
	li t0, 0
places:
	mul t1, t0, s11
	andi t1, t1, 15
	slli t1, t1, 3
	add t1, s0, t1
	lw t1, (t1)
	slli t2, t0, 2
	add t2, a2, t2
	lw t2, (t2)
	bne t1, t2, fail
	addi t0, t0, 1
	li t3, 4
	bltu t0, t3, places

	# The length of a text, up to its zero.
	la a1, text
	mv a3, a1
length:
	vsetvli t0, zero, e8, m1, ta, ma
	vle8ff.v v4, (a3)
	csrr t0, vl
	vmseq.vi v0, v4, 0
	vfirst.m t1, v0
	add a3, a3, t0
	bltz t1, length
	sub a3, a3, t0
	add a3, a3, t1
	sub a3, a3, a1
	li t1, 43
	bne a3, t1, fail

	# Whole registers and a mask, there and back.
	vl2re32.v v8, (s0)
	la a2, to
	vs2r.v v8, (a2)
	vsetivli t0, 8, e8, m1, ta, mu
	vlm.v v0, (s0)
	vmv.v.i v5, 0
	vadd.vi v5, v5, 1, v0.t
	la a3, sums
	vse8.v v5, (a3)
	vsm.v v0, (a2)
	lbu t1, (s0)
	lbu t2, (a2)
	bne t1, t2, fail
	lw t1, 4(s0)
	lw t2, 4(a2)
	bne t1, t2, fail
	li t0, 0
bits:
	srl t2, t1, t0
	lbu t1, (s0)
	srl t2, t1, t0
	andi t2, t2, 1
	add t3, a3, t0
	lbu t3, (t3)
	bne t2, t3, fail
	addi t0, t0, 1
	li t4, 8
	bltu t0, t4, bits
	addi s11, s11, -1
	bnez s11, turn
	ebreak
fail:
	.word 0
	.data
	.balign 16
from:	.zero 2048
to:	.zero 1024
sums:	.zero 64
text:	.asciz "forty-three letters that are all not a zero"
