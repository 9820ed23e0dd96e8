# One case: a0 is its state, a1 where its result goes, a2 the instruction, which a return follows.
	.option arch, +v
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
	sd ra, 0(sp)
	sd s0, 8(sp)
	sd s1, 16(sp)
	mv s0, a0
	mv s1, a1
	mv t3, a2
	addi t0, s0, 72
	vl8re8.v v0, (t0)
	addi t0, t0, 128
	vl8re8.v v8, (t0)
	addi t0, t0, 128
	vl8re8.v v16, (t0)
	addi t0, t0, 128
	vl8re8.v v24, (t0)
	ld t1, 0(s0)
	ld t2, 8(s0)
	vsetvl x0, t1, t2
	ld t1, 24(s0)
	csrw vcsr, t1
	ld t1, 32(s0)
	csrw fcsr, t1
	ld a0, 40(s0)
	ld a1, 48(s0)
	ld a2, 56(s0)
	fld fa0, 64(s0)
	fmv.d.x fa1, x0
	li a3, 0
	ld t1, 16(s0)
	csrw vstart, t1
	jalr t3
	csrr t1, vl
	sd t1, 512(s1)
	csrr t1, vtype
	sd t1, 520(s1)
	csrr t1, vcsr
	sd t1, 528(s1)
	csrr t1, fcsr
	sd t1, 536(s1)
	csrr t1, vstart
	sd t1, 544(s1)
	sd a3, 552(s1)
	fsd fa1, 560(s1)
	csrw vstart, x0
	vs8r.v v0, (s1)
	addi t0, s1, 128
	vs8r.v v8, (t0)
	addi t0, t0, 128
	vs8r.v v16, (t0)
	addi t0, t0, 128
	vs8r.v v24, (t0)
	ld ra, 0(sp)
	ld s0, 8(sp)
	ld s1, 16(sp)
	addi sp, sp, 32
	ret
	.data
	.balign 8
stubs:	.dword code
	.balign 8
cases:	.incbin "cases.bin"
cases_end:
	.text
	.balign 8
	.option norvc
code:	.incbin "code.bin"
