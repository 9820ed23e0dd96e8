# ends end
# is r2 5
# is r1 2
  li r4, 0x001c0a48
patched:
  li r2, 1
  nop
  inc r1, 1
  li r3, 6
  sw r4, 0(r3)
  li r5, 2
  bne r1, r5, patched
  halt
