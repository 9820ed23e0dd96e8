# The dot product of two arrays of four 32-bit integers, for RISC-V. The result is in a0 at the ebreak.
    .globl _start
_start:
    la    a1, left
    la    a2, right
    li    a3, 4             # so many are left
    li    a0, 0
again:
    lw    a4, 0(a1)
    lw    a5, 0(a2)
    mul   a4, a4, a5
    add   a0, a0, a4
    addi  a1, a1, 4
    addi  a2, a2, 4
    addi  a3, a3, -1
    bnez  a3, again
    ebreak

    .data
left:
    .word 1, 2, 3, 4
right:
    .word 10, 20, 30, 40
