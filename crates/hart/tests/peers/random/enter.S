# Goes from the driver to a random program and comes back at its end, and takes its traps: each is written down with cause, address,
# value and `vstart`, and what comes after the instruction is next. The end of a program is an `ecall` at `program_end`.

#if __riscv_xlen == 64
# define LX ld
# define SX sd
# define W 8
#else
# define LX lw
# define SX sw
# define W 4
#endif
	.option arch, +v

	# Offsets of struct state.
	.equ F, 32 * W
	.equ FCSR, F + 256
	.equ VL, FCSR + 8
	.equ VTYPE, VL + 8
	.equ VCSR, VTYPE + 8
	.equ VSTART, VCSR + 8
	.equ V, VSTART + 8
	.equ EIGHT, 8 * VLENB

	.section .text.init, "ax"
	.globl _start, enter
_start:
	la sp, stack_end
	la t0, handler
	csrw mtvec, t0
	# All of memory for all levels.
	li t0, -1
	csrw pmpaddr0, t0
	li t0, 0x1f
	csrw pmpcfg0, t0
	call run

	# enter(pc, level, units): bit 0 of units takes floating point away, bit 1 vectors.
enter:
	addi sp, sp, -128
	SX ra, 0(sp)
	.irp n, 0,1,2,3,4,5,6,7,8,9,10,11
	SX s\n, W*(\n+1)(sp)
	.endr
	la t0, saved
	SX sp, 0(t0)
	csrw mepc, a0
	# All registers of both units.
	li t0, 0x6600
	csrs mstatus, t0
	la a3, state
	.irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
	fld f\n, F+8*\n(a3)
	.endr
	li t1, V
	add t0, a3, t1
	li t1, EIGHT
	vl8re8.v v0, (t0)
	add t0, t0, t1
	vl8re8.v v8, (t0)
	add t0, t0, t1
	vl8re8.v v16, (t0)
	add t0, t0, t1
	vl8re8.v v24, (t0)
	vsetivli x0, 0, e8, m1, tu, mu
	LX t0, VCSR(a3)
	csrw vcsr, t0
	LX t0, FCSR(a3)
	csrw fcsr, t0
	# The level, and without what there is not to be.
	li t0, 0x1800
	csrc mstatus, t0
	slli t0, a1, 11
	csrs mstatus, t0
	andi t1, a2, 1
	beqz t1, 1f
	li t0, 0x6000
	csrc mstatus, t0
1:	andi t1, a2, 2
	beqz t1, 1f
	li t0, 0x600
	csrc mstatus, t0
1:	la t0, place
	csrw mscratch, t0
	mv x31, a3
	.irp n, 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
	LX x\n, W*\n(x31)
	.endr
	mret

	.balign 4
handler:
	csrrw x31, mscratch, x31
	SX x1, 0(x31)
	SX x5, W(x31)
	SX x6, 2*W(x31)
	SX x7, 3*W(x31)
	csrr x5, mscratch
	SX x5, 4*W(x31)
	csrw mscratch, x31
	csrr x5, mepc
	la x6, program_end
	LX x6, 0(x6)
	beq x5, x6, finish
	# Write it down.
	la x6, trap_count
	LX x7, 0(x6)
	li x1, 512
	bgeu x7, x1, 2f
	addi x1, x7, 1
	SX x1, 0(x6)
	la x6, traps
#if __riscv_xlen == 64
	slli x7, x7, 6
#else
	slli x7, x7, 5
#endif
	add x6, x6, x7
	SX x5, W(x6)
	# Whether there is a value is left open where a breakpoint is an instruction.
	csrr x7, mcause
	SX x7, 0(x6)
	addi x7, x7, -3
	beqz x7, 1f
	csrr x7, mtval
1:	SX x7, 2*W(x6)
	# Where a unit is off it has none.
	csrr x7, mstatus
	andi x7, x7, 0x600
	beqz x7, 1f
	csrr x7, vstart
	csrw vstart, x0
	csrr x1, vtype
	SX x1, 4*W(x6)
	csrr x1, vl
	SX x1, 5*W(x6)
1:	SX x7, 3*W(x6)
	csrr x7, mstatus
	srli x7, x7, 13
	andi x7, x7, 3
	beqz x7, 1f
	csrr x7, fcsr
1:	SX x7, 6*W(x6)
	csrr x7, mcause
	# After a jump to nowhere it continues where it would have returned.
	li x6, 1
	bne x7, x6, 1f
	LX x5, 0(x31)
	j 2f
1:	lhu x6, 0(x5)
	andi x6, x6, 3
	addi x5, x5, 2
	li x7, 3
	bne x6, x7, 2f
	addi x5, x5, 2
2:	csrw mepc, x5
	LX x1, 0(x31)
	LX x5, W(x31)
	LX x6, 2*W(x31)
	LX x7, 3*W(x31)
	LX x31, 4*W(x31)
	mret

finish:
	la x5, state
	.irp n, 0,1,2,3,4,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30
	SX x\n, W*\n(x5)
	.endr
	.irp n, 0,1,2,3
	LX x6, W*\n(x31)
	# x1, x5, x6, x7.
	.if \n == 0
	SX x6, W*1(x5)
	.else
	SX x6, W*(\n+4)(x5)
	.endif
	.endr
	LX x6, 4*W(x31)
	SX x6, W*31(x5)
	li t1, 0x6600
	csrs mstatus, t1
	mv a3, x5
	csrr t0, vl
	SX t0, VL(a3)
	csrr t0, vtype
	SX t0, VTYPE(a3)
	csrr t0, vcsr
	SX t0, VCSR(a3)
	csrr t0, vstart
	SX t0, VSTART(a3)
	csrr t0, fcsr
	SX t0, FCSR(a3)
	csrw vstart, x0
	.irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
	fsd f\n, F+8*\n(a3)
	.endr
	li t1, V
	add t0, a3, t1
	li t1, EIGHT
	vs8r.v v0, (t0)
	add t0, t0, t1
	vs8r.v v8, (t0)
	add t0, t0, t1
	vs8r.v v16, (t0)
	add t0, t0, t1
	vs8r.v v24, (t0)
	la t0, saved
	LX sp, 0(t0)
	LX ra, 0(sp)
	.irp n, 0,1,2,3,4,5,6,7,8,9,10,11
	LX s\n, W*(\n+1)(sp)
	.endr
	addi sp, sp, 128
	ret

	.bss
	.balign 16
saved:	.zero 8
place:	.zero 64
	.zero 16384
	.balign 16
stack_end:

	.data
	.balign 8
	.globl programs, programs_end
programs:
	.include "table.S"
programs_end:
	.text
	.option norelax
	.include "programs.S"
