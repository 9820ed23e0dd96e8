begin:
(f1.0)  add (32|M0)  r10.0<1>:f  r20.0<1;1,0>:f  r30.7<0;1,0>:f  {A@1}
(W&f0.0) jmpi begin
(W)     send.gtwy (1|M0)  null  r112  null:0  0x0  0x02000010  {EOT}
