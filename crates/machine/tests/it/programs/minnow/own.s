# ends empty 0x840
# is r3 0x800
# steps 35
  li r3, 0x800
  sw zero, 0(r3)
  jr r3
