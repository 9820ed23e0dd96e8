# Interrupts of software and of the timer: where they go, in which order, what holds them back; waiting.
#include "env.inc"

#define MTIME CLINT + 0xbff8
#define MTIMECMP CLINT + 0x4000

	.macro TIMER low, high
	li t5, MTIMECMP
	li t6, -1
	sw t6, 4(t5)
	li t6, \low
	sw t6, 0(t5)
	li t6, \high
	sw t6, 4(t5)
	.endm

	# Bits of a register, with those that the machine may have beside them left out.
	.macro SEE register, mask
	csrr t5, \register
	li t6, \mask
	and t5, t5, t6
	LOG t5
	.endm

	.globl main
main:
	addi sp, sp, -16
	SX ra, 0(sp)
	TIMER -1, -1
	# Software: there, held back, taken.
	li t0, CLINT
	li t1, 1
	sw t1, 0(t0)
	SEE mip, 0xaaa
	csrwi mie, 8
	la s11, 1f
	csrsi mstatus, 8
	nop
	.balign 4
1:	csrci mstatus, 8
	SEE mstatus, 0x1888
	# Below the machine level it is taken whatever the bit says.
	la t5, user
	RUN LEVEL_U, t5
	RUN LEVEL_S, t5
	sw zero, 0(t0)
	SEE mip, 0xaaa
	# The supervisor's, by delegation or not.
	csrw mie, zero
	csrsi mip, 2
	SEE mip, 0xaaa
	SEE sip, 0xaaa
	li t5, 0x222
	csrw mideleg, t5
	SEE mideleg, 0x222
	SEE sip, 0xaaa
	csrwi mie, 2
	csrwi mideleg, 0
	la t5, user
	RUN LEVEL_S, t5
	li t5, 2
	csrw mideleg, t5
	la t5, handler_s
	csrw stvec, t5
	# From the user it goes to the supervisor; that one calls.
	la t5, user
	RUN LEVEL_U, t5
	# From the supervisor only if it is enabled.
	li t6, 2
	csrc sstatus, t6
	la t5, user
	RUN LEVEL_S, t5
	csrsi sstatus, 2
	la t5, user
	RUN LEVEL_S, t5
	SEE sstatus, 0x122
	# At the machine level one that is delegated is not taken.
	TRY
	csrsi mstatus, 8
	nop
	csrci mstatus, 8
	DONE
	# The supervisor takes it back by itself, and cannot set those of the machine.
	la t5, withdraw
	RUN LEVEL_S, t5
	SEE mip, 0xaaa
	csrci mip, 2
	csrw mideleg, zero
	# The timer: one that has passed, one that is far, one that comes.
	li t5, 0x80
	csrw mie, t5
	TIMER 0, 0
	SEE mip, 0xaaa
	la t5, user
	RUN LEVEL_U, t5
	TIMER -1, -1
	SEE mip, 0xaaa
	la t5, user
	RUN LEVEL_U, t5
	# Waiting ends without a trap where interrupts are off, and with one where they are on.
	call soon
	TRY
	wfi
	DONE
	SEE mip, 0x80
	call soon
	la s11, 1f
	csrsi mstatus, 8
2:	wfi
	j 2b
	.balign 4
1:	csrci mstatus, 8
	# Of several the most urgent: external, software, timer.
	li t5, 0xaaa
	csrw mie, t5
	li t0, CLINT
	li t1, 1
	sw t1, 0(t0)
	TIMER 0, 0
	li t5, 0x222
	csrs mip, t5
	SEE mip, 0xaaa
	la t5, user
	RUN LEVEL_U, t5
	sw zero, 0(t0)
	la t5, user
	RUN LEVEL_U, t5
	TIMER -1, -1
	la t5, user
	RUN LEVEL_U, t5
	li t5, 0x200
	csrc mip, t5
	la t5, user
	RUN LEVEL_U, t5
	li t5, 2
	csrc mip, t5
	la t5, user
	RUN LEVEL_U, t5
	# A table of handlers.
	la t5, vectors + 1
	csrr s9, mtvec
	csrw mtvec, t5
	li t5, 0x20
	la t5, user
	RUN LEVEL_U, t5
	li t5, 0x20
	csrc mip, t5
	la t5, user
	RUN LEVEL_U, t5
	csrw mtvec, s9
	LX ra, 0(sp)
	addi sp, sp, 16
	ret

	# The timer comes in a little while.
soon:	li t5, MTIME
	lw t6, 0(t5)
	lw t4, 4(t5)
	addi t6, t6, 1000
	sltiu t3, t6, 1000
	add t4, t4, t3
	li t5, MTIMECMP
	li t3, -1
	sw t3, 4(t5)
	sw t6, 0(t5)
	sw t4, 4(t5)
	ret

	.balign 4
user:	nop
	nop
	ecall
withdraw:
	csrci sip, 2
	li t5, 0x888
	csrs sip, t5
	ecall

	.balign 4
handler_s:
	csrr t5, scause
	LOG t5
	ecall

	.balign 256
vectors:
	.rept 16
	j 1f
	.endr
1:	jal t5, 2f
	# Which of the table it was.
	.balign 4
2:	j handler
