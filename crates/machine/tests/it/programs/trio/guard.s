# set p1 1
# set x1 5
# ends end
# is x2 5
# is x3 0
# is p2 1
# steps 5
  (p1)add x2, x1, x0 | nop | nop
  (p2)add x3, x1, x0 | nop | nop
  (p3)stop | nop | nop
  (p1)cmp.lt p2, x0, x1 | nop | nop
  stop | nop | (p3)vlit v1 | 0x1
  nop | nop | nop
