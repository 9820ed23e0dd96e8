	.globl _start, tohost
_start:
	la t0, tohost
	li t1, 3
	sd t1, 0(t0)
loop:
	j loop
	.data
	.balign 8
tohost:
	.dword 0
