# Triggers on addresses of code and data, at each level, and several of them.
// The manual leaves the value of such a trap open: the address or 0.
#define CAUSE_ONLY
#include "env.inc"

#define ON (1 << 6 | 1 << 4 | 1 << 3)
#define EXECUTE 4
#define WRITE 2
#define READ 1

	.macro SET number, control, address
	li t5, \number
	csrw tselect, t5
	la t5, \address
	csrw tdata2, t5
	li t5, 2 << (__riscv_xlen - 4) | (\control)
	csrw tdata1, t5
	csrr t5, tdata1
	andi t5, t5, 0x7f
	LOG t5
	.endm

	.macro LOOK
	TRY
	lw a0, word
	DONE
	TRY
	sw a0, word, t5
	DONE
	TRY
	lw a0, other
	DONE
	TRY
here\@:	nop
	DONE
	la a1, word
	la t5, load
	RUN LEVEL_S, t5
	la t5, load
	RUN LEVEL_U, t5
	la t5, store
	RUN LEVEL_U, t5
	.endm

	.globl main
main:
	addi sp, sp, -16
	SX ra, 0(sp)
	# At an instruction right after those that set it, with nothing between that decides about interrupts.
	li t5, 2
	csrw tselect, t5
	la t5, soon
	csrw tdata2, t5
	li t5, 2 << (__riscv_xlen - 4) | ON | EXECUTE
	TRY
	csrw tdata1, t5
	csrr t5, tdata1
soon:	nop
	DONE
	SET 2, 0, word
	LOOK
	SET 0, ON | READ, word
	LOOK
	SET 0, ON | WRITE, word
	LOOK
	SET 0, ON | READ | WRITE, word
	LOOK
	SET 0, (1 << 6) | READ, word
	LOOK
	SET 0, (1 << 3) | READ, word
	LOOK
	SET 1, ON | READ, other
	LOOK
	SET 0, ON | EXECUTE, load
	LOOK
	SET 0, 0, word
	SET 1, ON | EXECUTE, nothing
	LOOK
	TRY
	nop
nothing:
	nop
	DONE
	SET 1, 0, word
	LOOK
	LX ra, 0(sp)
	addi sp, sp, 16
	ret

	.balign 4
load:	lw a0, 0(a1)
	ecall
	.balign 4
store:	sw a0, 0(a1)
	ecall

	.data
	.balign 8
word:	.word 7
	.balign 64
other:	.word 8
