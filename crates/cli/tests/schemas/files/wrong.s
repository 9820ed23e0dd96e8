add r1, r2
bogus r1
