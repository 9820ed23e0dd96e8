# set x1 7
# set x2 0x9000
# ends load 0x9000
# is x3 0
# is pc 0
  add x3, x1, x1 | ld x4, 0(x2) | nop
  stop | nop | nop
