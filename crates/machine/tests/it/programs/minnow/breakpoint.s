# ends trap breakpoint
# is r1 1
# is pc 2
# steps 1
  li r1, 1
  brk
