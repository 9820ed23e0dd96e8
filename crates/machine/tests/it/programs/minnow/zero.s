# ends end
# is zero 0
# is r1 0
  li zero, 5
  mv r1, zero
  halt
