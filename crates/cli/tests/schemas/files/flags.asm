@localsize 8, 1, 1
@const(c0.x) 0.5, 1, 2, -3
@in(r0.x) color(slot=4)
@tex(r1.x) src=0, bindless=0, samp=1, tex=2, wrmask=15, cmd=sam
nop
