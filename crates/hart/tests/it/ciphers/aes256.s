# AES-256: the example of FIPS 197, appendix C.3, with its last round key.
# features zve64x zvl128b zvkned
# holds one 8ea2b7ca516745bfeafc49904b496089
# holds back 00112233445566778899aabbccddeeff
# holds two 8ea2b7ca516745bfeafc49904b4960898ea2b7ca516745bfeafc49904b496089
# holds back_two 00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff
# holds last 24fc79ccbf0979e9371ac23c6d68de36
	vsetivli zero, 4, e32, m1, ta, ma
	la a0, key
	vle32.v v10, (a0)
	addi a0, a0, 16
	vle32.v v11, (a0)
	vmv.v.v v12, v10
	vaeskf2.vi v12, v11, 2
	vmv.v.v v13, v11
	vaeskf2.vi v13, v12, 3
	vmv.v.v v14, v12
	vaeskf2.vi v14, v13, 4
	vmv.v.v v15, v13
	vaeskf2.vi v15, v14, 5
	vmv.v.v v16, v14
	vaeskf2.vi v16, v15, 6
	vmv.v.v v17, v15
	vaeskf2.vi v17, v16, 7
	vmv.v.v v18, v16
	vaeskf2.vi v18, v17, 8
	vmv.v.v v19, v17
	vaeskf2.vi v19, v18, 9
	vmv.v.v v20, v18
	vaeskf2.vi v20, v19, 10
	vmv.v.v v21, v19
	vaeskf2.vi v21, v20, 11
	vmv.v.v v22, v20
	vaeskf2.vi v22, v21, 12
	vmv.v.v v23, v21
	vaeskf2.vi v23, v22, 13
	vmv.v.v v24, v22
	vaeskf2.vi v24, v23, 14
	la a1, last
	vse32.v v24, (a1)

	# One block, each round with a key of its own, then two blocks with one key for both.
	la a0, text
	vle32.v v2, (a0)
	vxor.vv v2, v2, v10
	vaesem.vv v2, v11
	vaesem.vv v2, v12
	vaesem.vv v2, v13
	vaesem.vv v2, v14
	vaesem.vv v2, v15
	vaesem.vv v2, v16
	vaesem.vv v2, v17
	vaesem.vv v2, v18
	vaesem.vv v2, v19
	vaesem.vv v2, v20
	vaesem.vv v2, v21
	vaesem.vv v2, v22
	vaesem.vv v2, v23
	vaesef.vv v2, v24
	la a1, one
	vse32.v v2, (a1)
	vaesz.vs v2, v24
	vaesdm.vv v2, v23
	vaesdm.vv v2, v22
	vaesdm.vv v2, v21
	vaesdm.vv v2, v20
	vaesdm.vv v2, v19
	vaesdm.vv v2, v18
	vaesdm.vv v2, v17
	vaesdm.vv v2, v16
	vaesdm.vv v2, v15
	vaesdm.vv v2, v14
	vaesdm.vv v2, v13
	vaesdm.vv v2, v12
	vaesdm.vv v2, v11
	vaesdf.vv v2, v10
	la a1, back
	vse32.v v2, (a1)
	vsetivli zero, 8, e32, m2, ta, ma
	vle32.v v2, (a0)
	vaesz.vs v2, v10
	vaesem.vs v2, v11
	vaesem.vs v2, v12
	vaesem.vs v2, v13
	vaesem.vs v2, v14
	vaesem.vs v2, v15
	vaesem.vs v2, v16
	vaesem.vs v2, v17
	vaesem.vs v2, v18
	vaesem.vs v2, v19
	vaesem.vs v2, v20
	vaesem.vs v2, v21
	vaesem.vs v2, v22
	vaesem.vs v2, v23
	vaesef.vs v2, v24
	la a1, two
	vse32.v v2, (a1)
	vaesz.vs v2, v24
	vaesdm.vs v2, v23
	vaesdm.vs v2, v22
	vaesdm.vs v2, v21
	vaesdm.vs v2, v20
	vaesdm.vs v2, v19
	vaesdm.vs v2, v18
	vaesdm.vs v2, v17
	vaesdm.vs v2, v16
	vaesdm.vs v2, v15
	vaesdm.vs v2, v14
	vaesdm.vs v2, v13
	vaesdm.vs v2, v12
	vaesdm.vs v2, v11
	vaesdf.vs v2, v10
	la a1, back_two
	vse32.v v2, (a1)
	ebreak
	.data
	.balign 16
key:
	.byte 0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f, 0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18, 0x19, 0x1a, 0x1b, 0x1c, 0x1d, 0x1e, 0x1f
text:
	.byte 0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff
	.byte 0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff
one:	.zero 16
back:	.zero 16
two:	.zero 32
back_two:	.zero 32
last:	.zero 16
