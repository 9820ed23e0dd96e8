# ends empty 0x6
# is r1 2
# steps 3
  li r1, 1
  add r1, r1
  nop
