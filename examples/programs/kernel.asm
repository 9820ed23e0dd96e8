        mov (16|M0)              r2.0<1>:d     3:d
        add (16|M0)              r3.0<1>:d     r2.0<1;1,0>:d     r2.0<1;1,0>:d  {I@1}
(W)     send.gtwy (1|M0)         null  r112  null:0  0x0  0x02000010  {EOT}
