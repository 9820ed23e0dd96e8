// A line for each form of instruction.
start:
(W)     mov (1|M0)               a0.0<1>:ud    0x40:ud
        mov (16|M0)              r8.0<1>:f     -1.25:f
        mov (8|M0)               r12.0<1>:q    -3:q
        mov (8|M8)               r20.0<2>:uw   r[a0.4,32]<2,1>:uw
        add (16|M0)   (lt)f1.0   r[a0.2,-64]<1>:d  -r30.1<8;8,1>:d  (abs)r34.0<0;1,0>:d {A@2}
(~f2.1.any) sel (16|M16)         r40.0<1>:f    r42.0<1;1,0>:f   2.0:f {@1,$3.dst}
        xor (32|M0)              r50.0<1>:ud   ~r52.0<1;1,0>:ud  r54.0<1;1,0>:ud
        mad (16|M0)              (sat)r60.0<1>:f  r61.0<8;1>:f  -r63.0<1;0>:f  r65.0<1>:f
        add3 (8|M0)              r70.0<1>:w    5:w  r71.0<0;0>:w  -6:w
        madm (8|M0)              r72.mme1:df   r74.mme0:df  r76.mme2:df  -r78.nomme:df
        bfn.0x96 (16|M0)         r80.0<1>:ud   r82.0<1;0>:ud  r84.0<1;0>:ud  r86.0<1>:ud
        dpas.8x4 (16|M0)         r90:f         r94:f  r98:hf  r110.0:hf {$1}
        math.inv (16|M0)         r120.0<1>:f   r121.0<1;1,0>:f {$2}
        math.invm (8|M0) (eo)f0.0  r122.mme1:f   r124.mme0<1;1,0>:f  r126.mme0<1;1,0>:f
        send.ugm (32|M0)         r130  r132  null:0  0x0  0x08200580 {$4}
        send.slm (32|M0)         null  r136  r138:2  0x0  0x04000504 {$5}
        sync.nop                 null {$4.dst}
        sync.allrd               ($1,$2)
        if (16|M0)               middle  finish
        mul (16|M0)              acc0.0<1>:d   r5.0<1;1,0>:d  r6.0<0;1,0>:uw
middle:
        else (16|M0)             finish  finish
        mach (16|M0)             r7.0<1>:d     r5.0<1;1,0>:d  r6.0<1;1,0>:d
finish:
        endif (16|M0)            after
after:
(W&f0.0) jmpi                    start
        call (16|M0)             r2.0          last
last:
        ret (16|M0)              r2.0
(W)     send.gtwy (1|M0)         null  r112  null:0  0x0  0x02000010 {EOT}
