# ends unaligned 2
# is pc 0x21
  li r1, 0x21
  jr r1
