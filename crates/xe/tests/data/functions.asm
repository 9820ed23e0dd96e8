// Functions, loops, and operands that are read and written in all ways.
(W)     mov (8|M0)               r1.0<1>:ud    5:ud
(W)     call (2|M0)              r60.0         F1
        goto (16|M0)             skip          skip
(f0.0)  mov (16|M0)              r10.0<1>:ud   r12.0<1;1,0>:ud
(~f0.0) mov (16|M0)              r10.0<1>:ud   r14.0<1;1,0>:ud
skip:
        join (16|M0)             next
next:
        add (16|M0)   (lt)f0.0   r16.0<1>:d    r10.0<1;1,0>:d    r1.3<0;1,0>:d
again:
        mov (8|M0)               r18.0<2>:uw   r16.0<8;4,2>:uw
        addc (8|M0)              r20.0<1>:ud   r18.0<1;1,0>:ud   r1.0<0;1,0>:ud
        mov (8|M0)               r22.0<1>:ud   acc0.0<1;1,0>:ud
        mul (8|M0)               acc0.0<1>:d   r22.0<1;1,0>:d    r1.0<0;1,0>:uw
        mach (8|M0)              r24.0<1>:d    r22.0<1;1,0>:d    r1.0<0;1,0>:d
(W)     mov (1|M0)               a0.8<1>:uw    0x20:uw
(W)     mov (1|M0)               a0.2<1>:ud    r22.0<0;1,0>:ud
        mov (4|M0)               r[a0.8,32]<1>:ud  r[a0.8,64]<1,0>:ud
(f0.0)  sel (16|M0)              r26.0<1>:ud   r24.0<1;1,0>:ud   r16.0<1;1,0>:ud
        mad (8|M0)               r28.0<1>:f    r26.0<1;0>:f      r24.0<0;0>:f      r20.0<1>:f
(f0.0)  send.ugm (16|M0)         r30  r26  null:0  0x0     0x04100580  {$1}
(W)     send.ugm (1|M0)          r34  r26  null:0  a0.2    0x04200580  {ExBSO,$2}
        store.slm.d32.a32 (16|M0)  [r26:1]  r30:1  {$3}
(W&f0.0) jmpi again
(W)     call (2|M0)              r60.0         F1
(W)     send.gtwy (1|M0)         null  r112  null:0  0x0  0x02000010  {EOT}
F1:
        add (8|M0)               r40.0<1>:d    r1.0<1;1,0>:d     r34.0<0;1,0>:d
(f0.0)  call (2|M0)              r60.4         F2
        cmp (16|M0)   (ge)f0.0   null<1>:d     r40.0<1;1,0>:d    5:w
        ret (2|M0)               r60.0
F2:
        mov (8|M0)               r1.0<1>:ud    r40.0<1;1,0>:ud
        ret (2|M0)               r60.4
