# What stands in for the commands of music.xintf: the data of the handle in a0, rs2 in a1.
    .globl org_tinker_tinker__RocknRoll__rock, org_tinker_tinker__RocknRoll__roll, _start
_start:
    ebreak
org_tinker_tinker__RocknRoll__rock:
    slli  a1, a1, 1
    addi  a1, a1, 1
    add   a0, a0, a1
    ret
org_tinker_tinker__RocknRoll__roll:
    slli  a2, a1, 8
    srli  a1, a1, 56
    or    a1, a1, a2
    xor   a0, a0, a1
    ret
