# set x2 0x800
# memory 0x800 0x100
# set v1 0x00000004000000030000000200000001
# set v2 0x00000001000000010000000100000001
# ends end
# is v3 0x0000000c000000090000000600000003
# is x1 0
# is p1 0
  addi x1, x0, 3 | nop | nop
l1:
  addi x1, x1, -1 | nop | vmac v3, v1, v2
  cmp.ne p1, x1, x0 | nop | nop
  (p1)br l1 | nop | nop
  stop | nop | nop
