# SM4: the example of GB/T 32907, and back with the keys in the opposite order.
# features zve64x zvl128b zvksed zvkb
# holds cipher 681edf34d206965e86b3e94f536e4246
# holds plain 0123456789abcdeffedcba9876543210
	vsetivli zero, 4, e32, m1, ta, ma
	la a0, key
	vle32.v v10, (a0)
	vrev8.v v10, v10
	la a0, fixed
	vle32.v v1, (a0)
	vxor.vv v10, v10, v1
	vid.v v8
	vrsub.vi v8, v8, 3		# 3, 2, 1, 0
	vsm4k.vi v11, v10, 0
	vsm4k.vi v12, v11, 1
	vsm4k.vi v13, v12, 2
	vsm4k.vi v14, v13, 3
	vsm4k.vi v15, v14, 4
	vsm4k.vi v16, v15, 5
	vsm4k.vi v17, v16, 6
	vsm4k.vi v18, v17, 7
	la a0, text
	vle32.v v2, (a0)
	vrev8.v v2, v2
	vsm4r.vs v2, v11
	vsm4r.vv v2, v12
	vsm4r.vs v2, v13
	vsm4r.vv v2, v14
	vsm4r.vs v2, v15
	vsm4r.vv v2, v16
	vsm4r.vs v2, v17
	vsm4r.vv v2, v18
	vrgather.vv v3, v2, v8
	vrev8.v v4, v3
	la a1, cipher
	vse32.v v4, (a1)
	vrgather.vv v5, v18, v8
	vsm4r.vs v3, v5
	vrgather.vv v5, v17, v8
	vsm4r.vs v3, v5
	vrgather.vv v5, v16, v8
	vsm4r.vs v3, v5
	vrgather.vv v5, v15, v8
	vsm4r.vs v3, v5
	vrgather.vv v5, v14, v8
	vsm4r.vs v3, v5
	vrgather.vv v5, v13, v8
	vsm4r.vs v3, v5
	vrgather.vv v5, v12, v8
	vsm4r.vs v3, v5
	vrgather.vv v5, v11, v8
	vsm4r.vs v3, v5
	vrgather.vv v4, v3, v8
	vrev8.v v4, v4
	la a1, plain
	vse32.v v4, (a1)
	ebreak
	.data
	.balign 16
key:
	.byte 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 0xfe, 0xdc, 0xba, 0x98, 0x76, 0x54, 0x32, 0x10
text:
	.byte 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 0xfe, 0xdc, 0xba, 0x98, 0x76, 0x54, 0x32, 0x10
fixed:	.word 0xa3b1bac6, 0x56aa3350, 0x677d9197, 0xb27022dc
cipher:	.zero 16
plain:	.zero 16
