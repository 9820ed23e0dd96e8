# A program for Linux: `isaglot run --linux hello.elf`. It greets its first argument.
    .globl _start
_start:
    ld    s0, 0(sp)             # how many arguments, its name among them
    ld    s1, 16(sp)            # the first after that
    la    a1, hello
    li    a2, 6
    jal   write
    la    a1, world
    li    a2, 5
    li    t0, 2
    blt   s0, t0, name
    mv    a1, s1
    li    a2, 0
count:
    add   t0, a1, a2
    lbu   t0, 0(t0)
    beqz  t0, name
    addi  a2, a2, 1
    j     count
name:
    jal   write
    la    a1, end
    li    a2, 1
    jal   write
    li    a0, 0
    li    a7, 93                # exit
    ecall
write:
    li    a0, 1                 # standard output
    li    a7, 64                # write
    ecall
    ret

    .data
hello:
    .ascii "Hello "
world:
    .ascii "world"
end:
    .ascii "\n"
