# ends load 0x2000
# is r2 0
# is pc 6
  li r1, 0x2000
  nop
  lw r2, 0(r1)
  halt
