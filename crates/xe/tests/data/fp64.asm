// Division and square root in double precision, as compilers expand them, and the same for single precision.
divide:
(W)     mov (1|M0)                r2.0<1>:df    1.0:df
        math.invm (8|M0)  (eo)f0.0  r10.mme0:df  r20.nomme:df  r22.nomme:df {$0}
(~f0.0) if (8|M0)                 join  join
        madm (8|M0)               r12.mme1:df   r4.nomme:df    r20.nomme:df   r10.mme0:df {$0.dst}
        madm (8|M0)               r14.mme2:df   r6.nomme:df   -r22.nomme:df   r10.mme0:df
        madm (16|M0)              r16.mme3:df   r12.mme1:df   -r22.nomme:df   r20.nomme:df
        madm (16|M0)              r18.mme0:df   r10.mme0:df    r14.mme0:df    r10.mme6:df
        madm (16|M0)              r24.mme5:df   r12.mme1:df    r16.mme3:df    r18.mme4:df
        madm (8|M0)               r26.mme6:df   r20.nomme:df  -r22.nomme:df   r24.mme5:df
(W)     madm (16|M0)              r28.mme7:df   r4.nomme:df    r20.mme0:df    r10.nomme:df
        madm (8|M8)               r10.nomme:df  r24.mme5:df    r26.mme6:df    r18.mme4:df
join:
        endif (8|M0)              root
root:
        math.rsqtm (8|M0) (eo)f1.0  r30.mme0:df  r20.nomme:df {$1}
        math.rsqtm (16|M0) (eo)f1.1  r32.mme1:f  r20.nomme:f {$2}
        math.invm (16|M16) (eo)f1.1  r34.mme2:f  r20.nomme:f  r40.mme7:f {$3}
        madm (16|M0)              r36.mme3:f   r32.mme1:f   -r20.nomme:f   r34.mme2:f {$3.dst}
(f0.0)  madm (8|M0)               r38.mme4:df  -r30.mme0:df  r30.mme0:df   -r38.mme4:df {$1.dst}
        madm (32|M0)              r42.mme3:f   r44.nomme:f    r46.nomme:f    r48.mme1:f
        madm (32|M0)              r42.mme6:f   r44.mme0:f     r46.mme2:f     r48.mme4:f
        madm (16|M0)              r42.nomme:f  r44.nomme:f    r46.nomme:f    r48.nomme:f
