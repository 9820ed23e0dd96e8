mov t0, void, void, u0.xyzw
mul t1.xy__, t0.xyzw, u1.xxxx, void
add t1.__z_, t1.xxxx, void, t1.yyyy
branch.lt void, t1.zzzz, u2.xxxx, 5
mad t2, t0.xyzw, t1.xyzw, u3.xyzw
texld t3, tex0.xyzw, t2.xyzw, void, void
mov t4.x___, void, void, t3.wwww
