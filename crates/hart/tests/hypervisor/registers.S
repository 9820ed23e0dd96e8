# What can be written of each register, and who may read and write it.
#include "guest.inc"

	# Writes ones and zeros at the machine level, and logs what stays, of the bits that all machines have.
	.macro BITS register, mask
	li t0, -1
	csrw \register, t0
	LOG_BITS \register, \mask
	csrw \register, zero
	LOG_BITS \register, \mask
	.endm

	# Reads and writes a register as a user, as a guest's user and supervisor, and as the host's supervisor.
	.macro EACH register
	la t5, 8f
	RUN LEVEL_U, t5
	la t5, 8f
	RUN LEVEL_S, t5
	la t5, 8f
	GUEST LEVEL_U, t5
	la t5, 8f
	GUEST LEVEL_S, t5
	la t5, 7f
	GUEST LEVEL_U, t5
	la t5, 7f
	GUEST LEVEL_S, t5
	j 9f
	.balign 4
8:	csrr a0, \register
	ecall
7:	csrw \register, zero
	ecall
9:
	.endm

	.globl main
main:
	addi sp, sp, -16
	SX ra, 0(sp)
	call handlers
	LOG_BITS misa, 1 << 7
	LOG_BITS mideleg, 0x1444
	BITS hstatus, GVA | SPV | SPVP | HU | VTVM | VTW | VTSR
	BITS hedeleg, 0xb1ff | 1 << 9 | 1 << 10 | 1 << 11 | 0xf << 20
	BITS hideleg, 0x1fff
	BITS hie, 0x1fff
	BITS hvip, 0x1fff
	BITS hip, 0x1ffb
	BITS hcounteren, 7
	BITS htval, -1
	BITS mtval2, -1
	BITS mtinst, -1
	BITS vsscratch, -1
	BITS vsepc, ~3
	BITS vsstatus, 1 << 1 | 1 << 5 | 1 << 8 | 1 << 18 | 1 << 19
	BITS medeleg, 0xb1ff | 1 << 10 | 0xf << 20
	BITS mie, 0x1fff
#if __riscv_xlen == 32
	BITS mstatush, 3 << 6
	#else
	# The width of guests.
	LOG_BITS hstatus, 3 << 32
	LOG_BITS vsstatus, 3 << 32
#endif
	# Guests' interrupts are parts of each other.
	li t0, 0x444
	csrw hvip, t0
	.irp delegated, 0, 4, 0x40, 0x400, 0x444
	li t0, \delegated
	csrw hideleg, t0
	li t0, -1
	csrw vsie, t0
	LOG_BITS vsie, 0x1fff
	LOG_BITS mie, 0x1444
	LOG_BITS vsip, 0x1fff
	csrw vsip, zero
	LOG_BITS hvip, 0x1fff
	LOG_BITS mip, 0x1444
	LOG_BITS hip, 0x1444
	li t0, 4
	csrs mip, t0
	LOG_BITS hvip, 0x1fff
	csrw hie, zero
	.endr
	csrw hvip, zero
	csrw hideleg, zero
	# Modes of translation that there are not.
	.irp register, vsatp, hgatp
#if __riscv_xlen == 64
	.irp mode, 0, 8, 9, 8
	li t0, \mode << 60 | 0x80000
	csrw \register, t0
	csrr t6, \register
	LOG t6
	.endr
#else
	.irp mode, 0, 1
	li t0, \mode << 31 | 0x80000
	csrw \register, t0
	csrr t6, \register
	LOG t6
	.endr
#endif
	csrw \register, zero
	.endr
	# Who may.
	EACH hstatus
	EACH hgatp
	EACH hvip
	EACH hgeip
	EACH vsstatus
	EACH vsatp
	EACH mtval2
	EACH henvcfg
	EACH sstatus
	EACH satp
	EACH sie
	EACH stvec
	EACH scounteren
	EACH mstatus
	EACH 0x5ff
	li t0, 7
	csrw mcounteren, t0
	EACH cycle
	csrw hcounteren, t0
	EACH cycle
	csrw scounteren, t0
	EACH instret
	li t0, VTVM
	csrw hstatus, t0
	EACH satp
	csrw hstatus, zero
	STATUS 0, 1 << 20
	EACH satp
	EACH hgatp
	STATUS 1 << 20, 0
	# A guest's supervisor finds its own under the numbers of the supervisor.
	call handlers
	la t0, 1f
	GUEST LEVEL_S, t0
	j 2f
	.balign 4
1:	li a0, 0x123
	csrw sscratch, a0
	li a0, 0x1234
	csrw sepc, a0
	li a0, 0x40122
	csrs sstatus, a0
	csrr a1, scause
	ecall
2:	csrr t6, vsscratch
	LOG t6
	csrr t6, vsepc
	LOG t6
	LOG_BITS vsstatus, 0x40122
	csrr t6, sscratch
	LOG t6
	LOG_BITS sstatus, 0x40122
	LX ra, 0(sp)
	addi sp, sp, 16
	ret
