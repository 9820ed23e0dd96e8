mov.f32f32 r0.x, c0.x
mov.u32u32 r1.x, 7
(rpt3)mov.f32f32 r2.x, (r)c4.x
add.f r0.y, r0.x, (neg)r2.y
cmps.f.lt p0.x, r0.y, c1.x
br p0.x, #3
mad.f32 r0.z, r0.x, r2.x, r0.y
jump #3
nop
add.f r0.z, r2.z, r2.w
cov.f32f16 hr8.x, r0.z
add.f r5.x, r4.x, r0.y
mova a0.x, hr8.x
mov.f32f32 r6.x, r<a0.x + 2>
sam (f32)(xyzw)r8.x, r5.x, s#0, t#0
stg.f32 g[r2.x+4], r8.x, 3
end
