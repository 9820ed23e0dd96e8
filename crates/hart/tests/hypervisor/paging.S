# Two stages of page tables: rights of both, marks of both, tables that are themselves addresses of a guest, superpages, addresses that are too
# wide; and the loads and stores of a host into a guest. SV48 chooses the deeper schemes on RV64.
#include "stages.inc"

	# What became of the marks.
	.macro MARKS table
	la t6, \table
	LX t6, 0(t6)
	andi t6, t6, 0xff
	LOG t6
	.endm

	# Each access of a guest, then of a host in its place. The window is in a1.
	.macro ACCESSES
	.irp label, load, store, fetch
	FENCE
	la t5, \label
	GUEST LEVEL_S, t5
	la t5, \label - USER_OFFSET
	GUEST LEVEL_U, t5
	.endr
	csrw hstatus, zero
	.irp label, lent, lent_store
	FENCE
	la t5, \label
	RUN LEVEL_S, t5
	LOG a0
	.endr
	MARKS guest_leaves
	MARKS leaves
	.endm

	.globl main
main:
	addi sp, sp, -16
	SX ra, 0(sp)
	call handlers
	call tables
	li a1, WINDOW
	# Rights of the guest's table, with all of the second stage; then of that, with all of the first.
	.irp flags, 0xcf, 0xdf, 0xc3, 0xc9, 0xd3, 0xd7, 0xd9, 0xdb, 0xc5, 0xce, 0x1f, 0x5f, 0x0f, 0x4f, 0xdd
	ENTRY_AT guest_leaves, 0, PLACE, \flags
	ENTRY leaves, 0, page, 0xdf
	call accesses
	.endr
	.irp flags, 0xcf, 0xdf, 0xd3, 0xd7, 0xd9, 0xdb, 0xd5, 0xde, 0x1f, 0x5f
	.irp own, 0xcf, 0xdf, 0x1f
	ENTRY_AT guest_leaves, 0, PLACE, \own
	ENTRY leaves, 0, page, \flags
	call accesses
	.endr
	.endr
	# The user's pages for the supervisor, and reading what can be executed, at both stages.
	.irp own, 0, SUM, MXR, SUM | MXR
	.irp outer, 0, SUM
	li t0, \own
	csrw vsstatus, t0
	STATUS SUM | MXR, \outer
	ENTRY leaves, 0, page, 0xdf
	ENTRY_AT guest_leaves, 0, PLACE, 0xdf
	call accesses
	ENTRY_AT guest_leaves, 0, PLACE, 0xc9
	call accesses
	ENTRY_AT guest_leaves, 0, PLACE, 0xd9
	call accesses
	.endr
	.endr
	csrw vsstatus, zero
	STATUS SUM | MXR, 0
	# The guest's last table is in the window of the second stage.
	ENTRY_AT guest_middle, MIDDLE_INDEX, PLACE, 1
	.irp flags, 0xdf, 0, 0xcf, 0xd3, 0xd9, 0x5f
	ENTRY leaves, 0, elsewhere, \flags
	ENTRY elsewhere, 0, page, 0xcf
	call accesses
	.endr
	ENTRY guest_middle, MIDDLE_INDEX, guest_leaves, 1
	# Superpages that are not aligned, and tables with flags.
	ENTRY_AT guest_leaves, 0, PLACE, 0xcf
	ENTRY leaves, 0, page, 0xdf
	.irp flags, 0xcf, 0x11, 0x41, 0x81, 0x21
	ENTRY guest_middle, MIDDLE_INDEX, page, \flags
	call accesses
	ENTRY guest_middle, MIDDLE_INDEX, guest_leaves, 1
	ENTRY middle, PLACE_INDEX, page, \flags | 0x10
	call accesses
	ENTRY middle, PLACE_INDEX, leaves, \flags
	call accesses
	ENTRY middle, PLACE_INDEX, leaves, 1
	.endr
	# Superpages that are.
	la t0, page
	li t1, 0x1fffff
	and t0, t0, t1
	li a1, WINDOW
	add a1, a1, t0
	ENTRY_AT guest_middle, MIDDLE_INDEX, 0x80000000, 0xcf
	call accesses
	ENTRY_AT guest_middle, MIDDLE_INDEX, PLACE, 0xcf
	ENTRY_AT middle, PLACE_INDEX, 0x80000000, 0xdf
	call accesses
	li a1, WINDOW
	ENTRY guest_middle, MIDDLE_INDEX, guest_leaves, 1
	ENTRY middle, PLACE_INDEX, leaves, 1
	# Addresses that are too wide for the second stage.
#if __riscv_xlen == 64
	.irp shift, 33, 38, 39, 40, 41, 47, 48, 49, 50, 51, 55
	ENTRY_AT guest_leaves, 0, 1 << \shift, 0xcf
	call accesses
	.endr
#else
	li t5, 1 << 31 | 0xcf
	la t6, guest_leaves
	sw t5, 0(t6)
	call accesses
#endif
	ENTRY_AT guest_leaves, 0, PLACE, 0xcf
	# The right of the machine level to be a guest in its loads and stores. QEMU 7.2 uses pages of the user there whatever SUM says.
	li t0, SUM
	csrw vsstatus, t0
	.irp level, LEVEL_S, LEVEL_U, LEVEL_M
	.irp flags, 0xcf, 0xdf, 0xc0
	ENTRY_AT guest_leaves, 0, PLACE, \flags
	.irp kind, lw, sw
	FENCE
	la a1, page
	TRY
	STATUS 3 << 11, \level << 11 | MPRV
	VIRTUAL
	.if \level != LEVEL_M
	li a1, WINDOW
	.endif
	\kind a0, 0(a1)
	STATUS MPRV, 0
	DONE
	STATUS MPRV, 0
	.endr
	.endr
	.endr
	ENTRY_AT guest_leaves, 0, PLACE, 0xcf
	csrw vsstatus, zero
	# One stage alone.
	csrr s4, vsatp
	csrr s5, hgatp
	csrw vsatp, zero
	li a1, PLACE
	call accesses
	li a1, PLACE + 0x1000
	call accesses
#if __riscv_xlen == 64
	.irp shift, 39, 41, 50, 63
	li a1, 1 << \shift
	call accesses
	.endr
#endif
	csrw vsatp, s4
	csrw hgatp, zero
	li a1, WINDOW
	ENTRY guest_leaves, 0, page, 0xdf
	call accesses
	ENTRY guest_leaves, 0, page, 0xcf
	call accesses
	csrw vsatp, zero
	la a1, page
	call accesses
	csrw vsatp, s4
	csrw hgatp, s5
	# Who may: the host's user with HU, the host's supervisor.
	li a1, WINDOW
	ENTRY_AT guest_leaves, 0, PLACE, 0xdf
	.irp bits, 0, HU
	li t0, \bits
	csrw hstatus, t0
	la t5, lent
	RUN LEVEL_S, t5
	LOG a0
	la t5, lent - USER_OFFSET
	RUN LEVEL_U, t5
	LOG a0
	.endr
	# A host's supervisor that takes the faults, and the guest's own.
	li t0, 1 << 5 | 1 << 7 | 1 << 12 | 1 << 13 | 1 << 15 | 0xf << 20
	csrw medeleg, t0
	.irp own, 0xcf, 0xdf, 0
	.irp flags, 0xdf, 0
	ENTRY_AT guest_leaves, 0, PLACE, \own
	ENTRY leaves, 0, page, \flags
	call accesses
	.endr
	.endr
	li t0, 1 << 12 | 1 << 13 | 1 << 15
	csrw hedeleg, t0
	.irp own, 0xcf, 0xdf, 0
	ENTRY_AT guest_leaves, 0, PLACE, \own
	.irp label, load, store, fetch
	FENCE
	la t5, \label
	GUEST LEVEL_S, t5
	.endr
	.endr
	csrw medeleg, zero
	csrw hedeleg, zero
	ENTRY leaves, 0, page, 0xdf
	# As the guest's supervisor: rights, then each width with its sign.
	.irp own, 0xcf, 0xc3, 0xcb, 0xc7
	.irp flags, 0xdf, 0xd3
	li t0, SPVP
	csrw hstatus, t0
	ENTRY_AT guest_leaves, 0, PLACE, \own
	ENTRY leaves, 0, page, \flags
	.irp label, lent, lent_store
	FENCE
	la t5, \label
	RUN LEVEL_S, t5
	LOG a0
	.endr
	.endr
	.endr
	ENTRY leaves, 0, page, 0xdf
	FENCE
	li t0, SPVP
	csrw hstatus, t0
	ENTRY_AT guest_leaves, 0, PLACE, 0xcf
	la t0, page
	li t1, 0x8899aabb
	sw t1, 8(t0)
	sw t1, 12(t0)
	addi a1, a1, 8
	.irp at, 0, 1, 2, 3, 4, 5, 6
	la t5, widths + 8 * \at
	RUN LEVEL_S, t5
	LOG a0
	.endr
#if __riscv_xlen == 64
	.irp at, 7, 8
	la t5, widths + 8 * \at
	RUN LEVEL_S, t5
	LOG a0
	.endr
#endif
	li a0, 0x1122334455667788 & ((1 << (__riscv_xlen - 1)) - 1)
	.irp at, 9, 10, 11
	la t5, widths + 8 * \at
	RUN LEVEL_S, t5
	la t0, page
	lw t1, 8(t0)
	LOG t1
	.endr
	LX ra, 0(sp)
	addi sp, sp, 16
	ret

	.balign 4
load:	lw a0, 0(a1)
	ecall
	.balign 4
store:	sw zero, 64(a1)
	ecall
	.balign 4
fetch:	jr a1
	.balign 4
	# hlv.w a0, (a1)
lent:	.word 0x6805c573
	ecall
	.balign 4
	# hlvx.wu a0, (a1)
lent_code: .word 0x6835c573
	ecall
	.balign 4
	# hsv.w a2, (a1)
lent_store: .word 0x6ac5c073
	ecall

	# hlv.b, .bu, .h, .hu, hlvx.hu, hlv.w, hlvx.wu; hlv.wu, hlv.d; hsv.b, .h, .w
widths:
	.irp word, 0x6005c573, 0x6015c573, 0x6405c573, 0x6415c573, 0x6435c573, 0x6805c573, 0x6835c573, 0x6815c573, 0x6c05c573, 0x62a5c073, 0x66a5c073, 0x6aa5c073
	.word \word
	ecall
	.endr

accesses:
	addi sp, sp, -16
	SX ra, 0(sp)
	li a2, 0x73
	ACCESSES
	LX ra, 0(sp)
	addi sp, sp, 16
	ret
