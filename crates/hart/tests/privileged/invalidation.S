# Svinval: a page that moves is found where it is after `sinval.vma`; who may use the fences.
// QEMU 7.2 does not say which instruction it was.
#define CAUSE_ONLY
#include "env.inc"
#if __riscv_xlen == 64
# define SV48
#endif
#include "tables.inc"

	.macro ENTRY label, flags
	la t5, \label
	srli t5, t5, 2
	ori t5, t5, \flags
	la t6, leaves
	SX t5, 0(t6)
	.endm

	.globl main
main:
	addi sp, sp, -16
	SX ra, 0(sp)
	call identity
	ENTRY one, 0xcf
	sfence.vma
	li a1, WINDOW
	la t5, look
	RUN LEVEL_S, t5
	LOG a0
	ENTRY two, 0xcf
	li a2, 0
	.irp operands, 0x16000073, 0x16058073, 0x16060073, 0x16c58073
	.word 0x18000073
	.word \operands
	.word 0x18100073
	la t5, look
	RUN LEVEL_S, t5
	LOG a0
	.endr
	# Below the machine level; with TVM; the user.
	.irp bits, 0, 1 << 20
	STATUS 1 << 20, \bits
	.irp label, invalidate, before, after
	la t5, \label
	RUN LEVEL_S, t5
	la t5, \label - USER_OFFSET
	RUN LEVEL_U, t5
	.endr
	.endr
	LX ra, 0(sp)
	addi sp, sp, 16
	ret

	.balign 4
look:	lw a0, 0(a1)
	ecall
	.balign 4
invalidate:
	.word 0x16000073
	ecall
before:	.word 0x18000073
	ecall
after:	.word 0x18100073
	ecall

	.data
	.balign 4096
one:	.word 1
	.balign 4096
two:	.word 2
	.balign 4096
