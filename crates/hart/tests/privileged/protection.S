# Protection of physical memory: kinds of regions, their order, accesses across borders, locks, registers, fetches.
#include "env.inc"

	.macro LOOK address
	li a1, \address
	.irp level, LEVEL_U, LEVEL_S
	la t5, load
	RUN \level, t5
	la t5, store
	RUN \level, t5
	.endr
	TRY
	lw a0, 0(a1)
	DONE
	TRY
	sw a0, 0(a1)
	DONE
	# With the user's rights.
	STATUS 3 << 11, MPRV
	TRY
	lw a0, 0(a1)
	DONE
	STATUS MPRV, 0
	.endm

	.macro SET register, value
	li t5, \value
	csrw \register, t5
	csrr t5, \register
	LOG t5
	.endm

	.globl main
main:
	addi sp, sp, -16
	SX ra, 0(sp)
	# Regions 4 to 7 before the one for all, which is the last.
	li t5, -1
	csrw pmpaddr8, t5
	csrwi pmpcfg0, 0
#if __riscv_xlen == 64
	li t5, 0x1f
	csrw pmpcfg2, t5
#else
	li t5, 0x1f
	csrw pmpcfg2, t5
#endif
	# A power of two, reading only; four bytes, all; up to an address, writing with reading.
	SET pmpaddr0, 0x80080000 >> 2 | 0x1ff
	SET pmpaddr1, 0x80082000 >> 2
	SET pmpaddr2, 0x80083000 >> 2
	SET pmpaddr3, 0x80084000 >> 2
#if __riscv_xlen == 64
	SET pmpcfg0, 0x000b001719
#else
	SET pmpcfg0, 0x0b001719
#endif
	LOOK 0x80080000
	LOOK 0x80080ffc
	LOOK 0x80081000
	LOOK 0x80082000
	LOOK 0x80082004
	LOOK 0x80083000
	LOOK 0x80083ffc
	LOOK 0x80084000
	# Nothing at all, before what would allow it.
	SET pmpaddr4, 0x80090000 >> 2 | 0x1
#if __riscv_xlen == 64
	SET pmpcfg0, 0x180b001719
#else
	SET pmpcfg1, 0x18
#endif
	LOOK 0x8008fffc
	LOOK 0x80090000
	LOOK 0x8009000c
	LOOK 0x80090010
	# Code without the right to execute, and with it.
	li t5, 0x80080000
	la t4, code
	lw t3, 0(t4)
	sw t3, 0(t5)
	li t5, 0x80081000
	sw t3, 0(t5)
	fence.i
	li t5, 0x80080000
	RUN LEVEL_S, t5
	li t5, 0x80081000
	RUN LEVEL_S, t5
	li t5, 0x80081000
	RUN LEVEL_U, t5
	# Locked: also the machine level, and for good.
#if __riscv_xlen == 64
	SET pmpcfg0, 0x990b001719
	SET pmpcfg0, 0x1f0b001719
#else
	SET pmpcfg1, 0x99
	SET pmpcfg1, 0x1f
#endif
	SET pmpaddr4, 0x12345
	LOOK 0x80090000
	LOOK 0x80090010
	# Values that registers do not keep.
#if __riscv_xlen == 64
	SET pmpaddr5, (1 << 54) - 1
	SET pmpaddr15, (1 << 54) - 1
#else
	SET pmpaddr5, -1
	SET pmpaddr15, -1
#endif
	LX ra, 0(sp)
	addi sp, sp, 16
	ret

code:	ecall
	.balign 4
load:	lw a0, 0(a1)
	ecall
	.balign 4
store:	sw a0, 0(a1)
	ecall
