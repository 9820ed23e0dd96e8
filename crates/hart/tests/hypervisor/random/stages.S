# Random accesses through two stages of page tables, a record of `cases.inc` each: RECORD words, in the order of the reads below. Each case logs its
# number, what the handlers log, the register that was loaded to, and the entries of both tables.
#include "../stages.inc"

#define RECORD 13
#define RANDOM_KIND 16

	# A word of the case.
	.macro FIELD register, number
	LX \register, (\number) * BYTES(s0)
	.endm

	# Writes an entry that a field says: small numbers are flags of one that leads to a label.
	.macro CASE_ENTRY table, index, label, number
	FIELD t5, \number
	li t6, 0x400
	bgeu t5, t6, 9993f
	la t6, \label
	srli t6, t6, 2
	or t5, t5, t6
9993:	la t6, \table
	li s9, (\index) * BYTES
	add t6, t6, s9
	SX t5, 0(t6)
	.endm

	# Logs the flags of an entry.
	.macro LOG_ENTRY table, index
	la t6, \table
	li s9, (\index) * BYTES
	add t6, t6, s9
	LX t6, 0(t6)
	andi t6, t6, 0xff
	LOG t6
	.endm

	.globl main
main:
	addi sp, sp, -16
	SX ra, 0(sp)
	call handlers
	call tables
	la s0, cases
	la s1, cases_end
next_case:
	LOG_VALUE 0xca5e
	FIELD t0, 0
	LOG t0
	CASE_ENTRY guest_leaves, 0, page, 1
	CASE_ENTRY leaves, 0, page, 2
	CASE_ENTRY guest_middle, MIDDLE_INDEX, guest_leaves, 3
	CASE_ENTRY middle, PLACE_INDEX, leaves, 4
	FIELD t0, 5
	csrw vsstatus, t0
	STATUS SUM | MXR, 0
	FIELD t0, 6
	csrs mstatus, t0
	FIELD t0, 7
	csrw hstatus, t0
	FIELD t0, 8
	csrw medeleg, t0
	FIELD t0, 9
	csrw hedeleg, t0
	FIELD a1, 10
	FENCE
	li a0, 0x5a5a
	li a2, 0x12345678
	FIELD t0, 11
	slli t0, t0, 4
	la t5, kinds
	add t5, t5, t0
	FIELD t0, 12
	beqz t0, as_user
	li t1, 1
	beq t0, t1, as_supervisor
	RUN LEVEL_S, t5
	j came_back
as_supervisor:
	GUEST LEVEL_S, t5
	j came_back
as_user:
	li t0, USER_OFFSET
	sub t5, t5, t0
	GUEST LEVEL_U, t5
came_back:
	LOG a0
	LOG_ENTRY guest_leaves, 0
	LOG_ENTRY leaves, 0
	LOG_ENTRY guest_middle, MIDDLE_INDEX
	LOG_ENTRY middle, PLACE_INDEX
	addi s0, s0, RECORD * BYTES
	bltu s0, s1, next_case
	csrw medeleg, zero
	csrw hedeleg, zero
	LX ra, 0(sp)
	addi sp, sp, 16
	ret

	.macro KIND instruction:vararg
	.balign RANDOM_KIND
	\instruction
	ecall
	.endm

	# Those of a guest, then hlv.bu, hlv.h, hlv.w, hlvx.hu, hlvx.wu, hsv.b, hsv.w of a host.
	.balign RANDOM_KIND
kinds:
	KIND lw a0, 0(a1)
	KIND lbu a0, 0(a1)
	KIND sw a2, 0(a1)
	KIND sb a2, 0(a1)
	KIND amoadd.w a0, a2, (a1)
	KIND lr.w a0, (a1)
	KIND sc.w a0, a2, (a1)
	KIND jr a1
	.irp word, 0x6015c573, 0x6405c573, 0x6805c573, 0x6435c573, 0x6835c573, 0x62c5c073, 0x6ac5c073
	KIND .word \word
	.endr

	.data
	.balign 8
cases:
#include "cases.inc"
cases_end:
	.text
