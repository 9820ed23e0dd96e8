# SM3 of "abc", whose hash GB/T 32905 has.
# features zve64x zvl128b zvksh
# holds state 66c7f0f462eeedd9d1f2d46bdc10e4e24167c4875cf2f7a2297da02b8f4ba8e0
	vsetivli zero, 8, e32, m2, ta, ma
	la a0, state
	vle32.v v2, (a0)
	vmv.v.v v20, v2
	la a1, message
	vle32.v v4, (a1)
	addi a1, a1, 32
	vle32.v v6, (a1)
	vsm3c.vi v2, v4, 0
	vslidedown.vi v8, v4, 2
	vsm3c.vi v2, v8, 1
	vslidedown.vi v8, v4, 4
	vslideup.vi v8, v6, 4
	vsm3c.vi v2, v8, 2
	vslidedown.vi v10, v8, 2
	vsm3c.vi v2, v10, 3
	vsm3me.vv v12, v6, v4
	vsm3c.vi v2, v6, 4
	vslidedown.vi v8, v6, 2
	vsm3c.vi v2, v8, 5
	vslidedown.vi v8, v6, 4
	vslideup.vi v8, v12, 4
	vsm3c.vi v2, v8, 6
	vslidedown.vi v10, v8, 2
	vsm3c.vi v2, v10, 7
	vsm3me.vv v4, v12, v6
	vsm3c.vi v2, v12, 8
	vslidedown.vi v8, v12, 2
	vsm3c.vi v2, v8, 9
	vslidedown.vi v8, v12, 4
	vslideup.vi v8, v4, 4
	vsm3c.vi v2, v8, 10
	vslidedown.vi v10, v8, 2
	vsm3c.vi v2, v10, 11
	vsm3me.vv v6, v4, v12
	vsm3c.vi v2, v4, 12
	vslidedown.vi v8, v4, 2
	vsm3c.vi v2, v8, 13
	vslidedown.vi v8, v4, 4
	vslideup.vi v8, v6, 4
	vsm3c.vi v2, v8, 14
	vslidedown.vi v10, v8, 2
	vsm3c.vi v2, v10, 15
	vsm3me.vv v12, v6, v4
	vsm3c.vi v2, v6, 16
	vslidedown.vi v8, v6, 2
	vsm3c.vi v2, v8, 17
	vslidedown.vi v8, v6, 4
	vslideup.vi v8, v12, 4
	vsm3c.vi v2, v8, 18
	vslidedown.vi v10, v8, 2
	vsm3c.vi v2, v10, 19
	vsm3me.vv v4, v12, v6
	vsm3c.vi v2, v12, 20
	vslidedown.vi v8, v12, 2
	vsm3c.vi v2, v8, 21
	vslidedown.vi v8, v12, 4
	vslideup.vi v8, v4, 4
	vsm3c.vi v2, v8, 22
	vslidedown.vi v10, v8, 2
	vsm3c.vi v2, v10, 23
	vsm3me.vv v6, v4, v12
	vsm3c.vi v2, v4, 24
	vslidedown.vi v8, v4, 2
	vsm3c.vi v2, v8, 25
	vslidedown.vi v8, v4, 4
	vslideup.vi v8, v6, 4
	vsm3c.vi v2, v8, 26
	vslidedown.vi v10, v8, 2
	vsm3c.vi v2, v10, 27
	vsm3me.vv v12, v6, v4
	vsm3c.vi v2, v6, 28
	vslidedown.vi v8, v6, 2
	vsm3c.vi v2, v8, 29
	vslidedown.vi v8, v6, 4
	vslideup.vi v8, v12, 4
	vsm3c.vi v2, v8, 30
	vslidedown.vi v10, v8, 2
	vsm3c.vi v2, v10, 31
	vxor.vv v2, v2, v20
	vse32.v v2, (a0)
	ebreak
	.data
	.balign 32
state:
	.byte 0x73, 0x80, 0x16, 0x6f, 0x49, 0x14, 0xb2, 0xb9, 0x17, 0x24, 0x42, 0xd7, 0xda, 0x8a, 0x06, 0x00, 0xa9, 0x6f, 0x30, 0xbc, 0x16, 0x31, 0x38, 0xaa, 0xe3, 0x8d, 0xee, 0x4d, 0xb0, 0xfb, 0x0e, 0x4e
message:
	.byte 0x61, 0x62, 0x63, 0x80, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x18
