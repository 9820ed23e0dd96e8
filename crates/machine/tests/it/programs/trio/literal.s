# ends end
# is v1 0x000000000fffffffffffffffffffffff
# is v2 0x000000001ffffffefffffffefffffffe
  nop | nop | vlit v1 | 0xfffffffffffffffffffffff
  nop | nop | vadd v2, v1, v1
  stop | nop | nop
