# set x1 7
# set x2 0x800
# ends end
# holds 0x800 7
# is pc 0
# steps 1
  stop | st x1, 0(x2) | nop
