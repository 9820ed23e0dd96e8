# Interrupts of guests: which are taken where, for each delegation, enable and level; their order; tables of handlers.
#include "guest.inc"

	.globl main
main:
	addi sp, sp, -16
	SX ra, 0(sp)
	call handlers
	.irp host, 0, 0x222
	li t0, \host
	csrw mideleg, t0
	.irp guest, 0, 0x444, 0x4
	li t0, \guest
	csrw hideleg, t0
	.irp own, 0, 2
	.irp enabled, 0x1fff, 0x400, 0x44, 0x2, 0
	.irp there, 0x4, 0x40, 0x400, 0x444
	li t0, \own
	csrw vsstatus, t0
	STATUS 2, \own
	li t0, \enabled & 0x1446
	csrw mie, t0
	li t0, \there
	csrw hvip, t0
	la t5, call
	RUN LEVEL_U, t5
	la t5, call
	RUN LEVEL_S, t5
	la t5, call
	GUEST LEVEL_U, t5
	la t5, call
	GUEST LEVEL_S, t5
	csrw hvip, zero
	# The host's own software interrupt beside it.
	csrwi mip, 2
	la t5, call
	GUEST LEVEL_S, t5
	csrw mip, zero
	.endr
	.endr
	.endr
	.endr
	.endr
	# A table of handlers: each entry says which it is.
	csrw mie, zero
	la t0, table
	ori t0, t0, 1
	csrw vstvec, t0
	li t0, 0x444
	csrw hideleg, t0
	csrw mie, t0
	.irp there, 0x4, 0x40, 0x400, 0x444, 0x44
	li t0, \there
	csrw hvip, t0
	la t5, call
	GUEST LEVEL_U, t5
	LOG a0
	.endr
	csrw hvip, zero
	# A guest's supervisor asks itself.
	csrw vsstatus, zero
	la t5, ask
	GUEST LEVEL_S, t5
	LOG a0
	LOG_BITS hvip, 0x444
	LX ra, 0(sp)
	addi sp, sp, 16
	ret

	.balign 4
call:	ecall
	.balign 4
ask:	csrwi sie, 2
	csrsi sip, 2
	csrsi sstatus, 2
	ecall
	.balign 64
table:
	.irp number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12
	.balign 4
	j entry_\number
	.endr
	.irp number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12
entry_\number:
	li a0, \number
	j guest_handler
	.endr
