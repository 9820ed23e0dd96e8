# set r1 -7
# set r2 2
# ends end
# is r3 -3
# is r4 0xffffffe4
# is r5 0x3ffffffe
# is r6 0xfffffffe
# is r7 -1
# is r8 5
# is r9 2
# is r10 -7
# is r11 0x12345678
# is r12 -300
  div r3, r1, r2
  sll r4, r1, r2
  srl r5, r1, r2
  sra r6, r1, r2
  div r7, r1, zero
  mv r8, zero
  sub r8, r1
  sub r8, r2
  li r9, 3
  and r9, r2
  mv r10, r1
  or r10, r1
  xor r10, zero
  li r11, 0x12345678
  li r12, -300
  halt
