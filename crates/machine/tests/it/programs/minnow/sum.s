# set r1 0x800
# memory 0x800 0x100
# ends end
# is r3 55
# is r2 0
# is r1 0x828
# is pc 36
  li r1, 0x800
  li r2, 10
  mv r4, r2
fill:
  sw r4, 0(r1)
  inc r1, 4
  inc r4, -1
  bne r4, zero, fill
  li r1, 0x800
  li r3, 0
add:
  lw r4, 0(r1)
  add r3, r4
  inc r1, 4
  inc r2, -1
  bne r2, zero, add
  halt
