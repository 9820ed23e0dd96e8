# One case: a0 is its state, a1 where its result goes, a2 the instruction, which a return follows.
	.option arch, +v
	.macro L r, m:vararg
	.if __riscv_xlen == 64
	ld \r, \m
	.else
	lw \r, \m
	.endif
	.endm
	.macro S r, m:vararg
	.if __riscv_xlen == 64
	sd \r, \m
	.else
	sw \r, \m
	.endif
	.endm
	.equ ALL, 32 * VLENB
	.equ EIGHT, 8 * VLENB
	.globl _start, one, cases, cases_end, stubs
_start:
	.option push
	.option norelax
	lla gp, __global_pointer$
	.option pop
	andi sp, sp, -16
	call start
one:
	addi sp, sp, -32
	S ra, 0(sp)
	S s0, 8(sp)
	S s1, 16(sp)
	mv s0, a0
	mv s1, a1
	mv t3, a2
	addi t0, s0, 72
	vl8re8.v v0, (t0)
	li t4, EIGHT
	add t0, t0, t4
	vl8re8.v v8, (t0)
	li t4, EIGHT
	add t0, t0, t4
	vl8re8.v v16, (t0)
	li t4, EIGHT
	add t0, t0, t4
	vl8re8.v v24, (t0)
	L t1, 0(s0)
	L t2, 8(s0)
	vsetvl x0, t1, t2
	L t1, 24(s0)
	csrw vcsr, t1
	L t1, 32(s0)
	csrw fcsr, t1
	L a0, 40(s0)
	L a1, 48(s0)
	L a2, 56(s0)
	fld fa0, 64(s0)
	fcvt.d.w fa1, x0
	li a3, 0
	L t1, 16(s0)
	csrw vstart, t1
	jalr t3
	li t5, ALL
	add t5, t5, s1
	csrr t1, vl
	S t1, 0(t5)
	csrr t1, vtype
	S t1, 8(t5)
	csrr t1, vcsr
	S t1, 16(t5)
	csrr t1, fcsr
	S t1, 24(t5)
	csrr t1, vstart
	S t1, 32(t5)
	S a3, 40(t5)
	fsd fa1, 48(t5)
	csrw vstart, x0
	vs8r.v v0, (s1)
	li t4, EIGHT
	add t0, s1, t4
	vs8r.v v8, (t0)
	li t4, EIGHT
	add t0, t0, t4
	vs8r.v v16, (t0)
	li t4, EIGHT
	add t0, t0, t4
	vs8r.v v24, (t0)
	L ra, 0(sp)
	L s0, 8(sp)
	L s1, 16(sp)
	addi sp, sp, 32
	ret
	.data
	.balign 8
	.if __riscv_xlen == 64
stubs:	.dword code
	.else
stubs:	.word code
	.endif
	.balign 8
cases:	.incbin "cases.bin"
cases_end:
	.text
	.balign 8
	.option norvc
code:	.incbin "code.bin"
