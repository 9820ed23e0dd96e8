li     r2, 10
again:
inc    r2, -1
bne    r2, zero, again
halt
