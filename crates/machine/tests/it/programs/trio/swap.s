# set x1 0x111
# set x2 0x808
# memory 0x800 0x100
# ends end
# is x1 0x808
# is x2 0x111
# holds 0x808 0x111
  add x1, x2, x0 | st x1, 0(x2) | nop
  sub x3, x1, x0 | ld x2, 0(x1) | nop
  stop | nop | nop
