# Every combination of flags of a page-table entry: accesses of the supervisor and the user, with SUM and MXR, and with MPRV; what is
# left in the entry. Then large pages, addresses that are not canonical, entries with reserved bits, tables that are not there.
#include "env.inc"
#include "tables.inc"

	# s0: the hash of a line, s1: flags, s2: level, s3: SUM and MXR.
	.macro HASH register
	slli t6, s0, 5
	sub s0, t6, s0
	add s0, s0, \register
	.endm

	# Takes cause and value out of the log and adds them to the hash, with the entry.
	.macro SEEN
	addi s10, s10, -2 * BYTES
	LX t5, 0(s10)
	HASH t5
	LX t5, BYTES(s10)
	HASH t5
	LX t5, 0(s5)
	HASH t5
	.endm

	# Writes the entry of the page.
	.macro ENTRY
	la t5, page
	srli t5, t5, 2
	or t5, t5, s1
	SX t5, 0(s5)
	sfence.vma
	.endm

	.globl main
main:
	addi sp, sp, -16
	SX ra, 0(sp)
	call identity
	la s5, leaves
	li s1, 0
flags:
	li s0, 0
	li s2, 0
levels:
	li s3, 0
rights:
	li t6, SUM | MXR
	csrc mstatus, t6
	csrs mstatus, s3
	la s4, user_load
	beqz s2, 1f
	la s4, load
1:	call access
	la s4, user_store
	beqz s2, 1f
	la s4, store
1:	call access
	li s4, WINDOW
	call access
	# With the rights of the level, from the machine's.
	ENTRY
	la s11, 2f
	slli t5, s2, 11
	li t6, 3 << 11
	csrc mstatus, t6
	li t6, MPRV
	or t5, t5, t6
	li a1, WINDOW
	csrs mstatus, t5
	lw a0, 0(a1)
	ecall
	.balign 4
2:	SEEN
	ENTRY
	la s11, 2f
	slli t5, s2, 11
	li t6, 3 << 11
	csrc mstatus, t6
	li t6, MPRV
	or t5, t5, t6
	csrs mstatus, t5
	sw a0, 8(a1)
	ecall
	.balign 4
2:	SEEN
	# SUM and MXR: four times.
	li t6, SUM
	add s3, s3, t6
	li t6, 4 * SUM
	bltu s3, t6, rights
	addi s2, s2, 1
	li t6, 2
	bltu s2, t6, levels
	LOG s0
	addi s1, s1, 1
	li t6, 256
	bltu s1, t6, flags
	li t6, SUM | MXR
	csrc mstatus, t6
	li s1, 0xcf
	call others
	LX ra, 0(sp)
	addi sp, sp, 16
	ret

	# Runs s4 at the level s2.
access:
	ENTRY
	la s11, 1f
	csrw mepc, s4
	li t6, 3 << 11
	csrc mstatus, t6
	slli t6, s2, 11
	csrs mstatus, t6
	li a1, WINDOW
	mret
	.balign 4
1:	SEEN
	ret

	# Addresses and entries that are wrong in other ways.
	.macro LOOK address
	li a1, \address
	la t5, load
	RUN LEVEL_S, t5
	.endm
others:
	ENTRY
	LOOK WINDOW
	LOOK WINDOW + 0x1000
	LOOK WINDOW + 0xffe
#if __riscv_xlen == 64
	# Not canonical, and bits that are reserved.
	LOOK WINDOW + (1 << TOP)
	LOOK WINDOW + (1 << 63)
	LOOK WINDOW - (1 << TOP)
	.irp bit, 54, 57, 60
	ENTRY
	LX t5, 0(s5)
	li t6, 1 << \bit
	or t5, t5, t6
	SX t5, 0(s5)
	sfence.vma
	LOOK WINDOW
	.endr
#endif
	# A large page whose address is not a multiple of its size.
	la t0, root
	li t1, 0x80001000 >> 2 | 0xcf
	SX t1, ROOT_SPARE(t0)
	sfence.vma
	LOOK SPARE
	# One that is in order.
	li t1, 0x80000000 >> 2 | 0xcf
	SX t1, ROOT_SPARE(t0)
	sfence.vma
	LOOK SPARE
	# An entry of a table with bits that only pages have.
	la t1, leaves
	srli t1, t1, 2
	ori t1, t1, 0x41
	SX t1, ROOT_SPARE(t0)
	sfence.vma
	LOOK SPARE
	ENTRY
	LOOK WINDOW
	# The last page of the addresses, and the first.
	LOOK -4096
	LOOK 0
	# satp keeps its value when the scheme is unknown.
#if __riscv_xlen == 64
	csrr t0, satp
	li t1, 1 << 60
	csrw satp, t1
	csrr t2, satp
	sub t2, t2, t0
	LOG t2
#endif
	ret

	.balign 4
load:	lw a0, 0(a1)
	ecall
	.balign 4
store:	sw a0, 8(a1)
	ecall
	.set user_load, load - USER_OFFSET
	.set user_store, store - USER_OFFSET

	.data
	.balign 4096
page:	ecall
	.space 4092
