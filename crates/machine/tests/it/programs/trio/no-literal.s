# ends operand LITERAL
# is pc 24
  nop | nop | nop
  nop | nop | vlit v1
  stop | nop | nop
