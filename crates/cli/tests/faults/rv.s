start:
    li a0, 5
again:
    addi a0, a0, -1
    bnez a0, again
    ebreak
