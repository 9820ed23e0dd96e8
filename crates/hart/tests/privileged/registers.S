# What registers keep, and who may use them: returns, translation and waiting that are the machine level's business.
#include "env.inc"

	.macro KEEP register, value, mask
	csrr s7, \register
	li t5, \value
	csrw \register, t5
	csrr t5, \register
	li t6, \mask
	and t5, t5, t6
	LOG t5
	csrw \register, s7
	.endm

	# Runs a label at both levels.
	.macro BOTH label
	la t5, \label
	RUN LEVEL_S, t5
	la t5, \label
	RUN LEVEL_U, t5
	.endm

	.globl main
main:
	addi sp, sp, -16
	SX ra, 0(sp)
	KEEP mstatus, 0x7e19aa & ~0x6000, 0x7e19aa & ~0x6000
	KEEP sstatus, 0xc0122, 0xc0122
	KEEP mie, 0xaaa, 0xaaa
	KEEP sie, -1, 0x888
	KEEP mepc, -2, -1
	KEEP mtval, -1, -1
	KEEP mcause, 15, -1
	KEEP mscratch, -1, -1
	KEEP sscratch, -1, -1
	KEEP stvec, 0x80000101, -1
	KEEP scounteren, 7, 7
	KEEP medeleg, 0xb1ff, 0xb1ff
	# TSR, TVM, TW: each with what it is about, and the others.
	.irp bits, 0, 1 << 22, 1 << 20
	STATUS 7 << 20, \bits
	la t5, over
	csrw sepc, t5
	li t5, 0x100
	csrs mstatus, t5
	BOTH return
	BOTH translation
	BOTH translation_write
	BOTH fence
	.endr
	STATUS 7 << 20, 1 << 21
	la t5, waiting
	RUN LEVEL_S, t5
	STATUS 7 << 20, 0
	BOTH machine
	BOTH supervisor
	BOTH trigger
	BOTH protection
	# What is forbidden where a register can only be read.
	.irp number, 0xf11, 0xf12, 0xf13, 0xf14
	TRY
	csrw \number, t5
	DONE
	.endr
	# A trap at the supervisor's goes back as it came.
	li t5, 1 << 8
	csrw medeleg, t5
	la t5, handler_s
	csrw stvec, t5
	la t5, over
	RUN LEVEL_U, t5
	csrw medeleg, zero
	# What is reserved in fences does nothing.
	.irp word, 0x0ff0000f, 0x8330000f, 0x4330000f, 0x0330800f, 0x0ff0010f, 0x0000900f, 0x0010100f, 0xfff0918f
	TRY
	.word \word
	DONE
	.endr
	LX ra, 0(sp)
	addi sp, sp, 16
	ret

	.balign 4
return:	sret
over:	ecall
	.balign 4
translation:
	csrr a0, satp
	ecall
translation_write:
	csrw satp, zero
	ecall
fence:	sfence.vma
	ecall
waiting:
	wfi
	ecall
machine:
	csrr a0, mscratch
	ecall
supervisor:
	csrr a0, sscratch
	ecall
trigger:
	csrr a0, tselect
	ecall
protection:
	csrr a0, pmpcfg0
	ecall

	.balign 4
handler_s:
	csrr t5, scause
	LOG t5
	csrr t5, sstatus
	andi t5, t5, 0x122
	LOG t5
	la t5, 1f
	csrw stvec, t5
	li t5, 0x100
	csrs sstatus, t5
	la t5, 2f
	csrw sepc, t5
	sret
	.balign 4
1:	nop
2:	ecall
