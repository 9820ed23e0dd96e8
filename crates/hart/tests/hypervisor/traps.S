# Where traps go and what they leave: each cause from each level, with every delegation; returns; and what hypervisors keep for themselves.
#include "guest.inc"

	# Runs code as a user, as the host's supervisor, as a guest's user and as its supervisor.
	.macro ALL label
	la t5, \label
	RUN LEVEL_U, t5
	la t5, \label
	RUN LEVEL_S, t5
	la t5, \label
	GUEST LEVEL_U, t5
	la t5, \label
	GUEST LEVEL_S, t5
	.endm

	.globl main
main:
	addi sp, sp, -16
	SX ra, 0(sp)
	call handlers
	# To the machine level, to the host, to the guest. Calls of the levels that handlers use to come back stay with the machine level.
	.irp host, 0, 0xb1ff | 1 << 22
	.irp guest, 0, 0xb1ff
	li t0, \host
	csrw medeleg, t0
	li t0, \guest
	csrw hedeleg, t0
	.irp label, call, none, nowhere, store, jump, constant, virtual
	ALL \label
	.endr
	.endr
	.endr
	# What is kept of the status of each level.
	li t0, 0xb1ff
	csrw medeleg, t0
	csrw hedeleg, t0
	.irp bits, 0, 2, 0x20, 0x22, 0x100
	li t0, \bits
	csrw vsstatus, t0
	STATUS 0x122, \bits
	la t5, none
	GUEST LEVEL_U, t5
	LOG_BITS sstatus, 0x122
	LOG_BITS vsstatus, 0x122
	la t5, none
	GUEST LEVEL_S, t5
	LOG_BITS sstatus, 0x122
	LOG_BITS vsstatus, 0x122
	.endr
	STATUS 0x122, 0
	# What a hypervisor keeps for itself, and the machine level.
	csrw medeleg, zero
	csrw hedeleg, zero
	# QEMU 7.2 does not say which instruction it was.
	li s7, 0
	.irp register_bits, 0, VTVM, VTW, VTSR, HU
	li t0, \register_bits
	csrw hstatus, t0
	.irp kept, 0, 1 << 20, 1 << 21, 1 << 22
	STATUS 7 << 20, \kept
	.irp label, fence, fence_guest, fence_second, invalidate, invalidate_guest, invalidate_second, before, load_guest, store_guest, back_machine
	la t5, \label
	RUN LEVEL_S, t5
	la t5, \label
	GUEST LEVEL_S, t5
	.endr
	# Waiting: something is there that neither the host nor the guest's supervisor takes.
	li t0, 4
	csrw hideleg, t0
	csrw hie, t0
	csrw hvip, t0
	csrw vsstatus, zero
	la t5, wait
	RUN LEVEL_S, t5
	la t5, wait
	GUEST LEVEL_S, t5
	csrw hvip, zero
	csrw hie, zero
	csrw hideleg, zero
	la t5, wait
	GUEST LEVEL_U, t5
	# Returns go on at `call`.
	la t0, call
	csrw sepc, t0
	csrw vsepc, t0
	STATUS 0x122, 0
	csrw vsstatus, zero
	la t5, back
	RUN LEVEL_S, t5
	la t5, back
	GUEST LEVEL_S, t5
	LOG_BITS vsstatus, 0x122
	.endr
	.endr
	STATUS 7 << 20, 0
	# Users.
	.irp register_bits, 0, HU
	li t0, \register_bits
	csrw hstatus, t0
	.irp label, fence, fence_guest, fence_second, invalidate, invalidate_guest, invalidate_second, before, load_guest, store_guest, back_machine, back
	la t5, \label
	RUN LEVEL_U, t5
	la t5, \label
	GUEST LEVEL_U, t5
	.endr
	.endr
	li s7, -1
	# From the host to a guest: SPV and SPP.
	.irp to, 0, SPV
	.irp level, 0, 0x100
	li t0, \to
	csrw hstatus, t0
	STATUS 0x122, \level | 0x20
	la t0, call
	csrw sepc, t0
	la t5, back
	RUN LEVEL_S, t5
	LOG_BITS hstatus, GVA | SPV | SPVP
	LOG_BITS sstatus, 0x122
	.endr
	.endr
	# Within a guest.
	.irp level, 0, 0x100, 0x120, 0x22
	li t0, \level
	csrw vsstatus, t0
	la t0, call
	csrw vsepc, t0
	la t5, back
	GUEST LEVEL_S, t5
	LOG_BITS vsstatus, 0x122
	.endr
	LX ra, 0(sp)
	addi sp, sp, 16
	ret

	.balign 4
call:	ecall
	.balign 4
none:	.word 0
	ecall
	.balign 4
nowhere: lw a0, 16(zero)
	ecall
	.balign 4
store:	sw a0, 16(zero)
	ecall
	.balign 4
jump:	jr 16(zero)
	.balign 4
constant: csrw time, zero
	ecall
	.balign 4
virtual: csrr a0, hstatus
	ecall
	.balign 4
fence:	.word 0x12000073
	ecall
fence_guest: .word 0x22000073
	ecall
fence_second: .word 0x62000073
	ecall
wait:	wfi
	ecall
invalidate: .word 0x16000073
	ecall
invalidate_guest: .word 0x26000073
	ecall
invalidate_second: .word 0x66000073
	ecall
before:	.word 0x18000073
	ecall
	# hlv.w a0, (a1); hsv.w a0, (a1)
load_guest: la a1, word
	.word 0x6805c573
	ecall
	.balign 4
store_guest: la a1, word
	.word 0x6aa5c073
	ecall
	.balign 4
back_machine: mret
	.balign 4
back:	sret
	.data
	.balign 4
word:	.word 0x12345678
	.text
