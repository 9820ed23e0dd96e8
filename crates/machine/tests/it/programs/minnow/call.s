# ends end
# is r1 49
# is lr 4
# is r5 1
# is t 1
  call square
  halt
square:
  li r1, 7
  mul r1, r1
  li r5, 1
  cmp r5, r1
  bt yes
  li r5, 2
yes:
  ret
