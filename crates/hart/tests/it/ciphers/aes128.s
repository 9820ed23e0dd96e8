# AES-128: the example of FIPS 197, appendix C.1; the last round key is in its appendix for that key as well.
# features zve64x zvl128b zvkned
# holds one 69c4e0d86a7b0430d8cdb78070b4c55a
# holds back 00112233445566778899aabbccddeeff
# holds two 69c4e0d86a7b0430d8cdb78070b4c55a69c4e0d86a7b0430d8cdb78070b4c55a
# holds back_two 00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff
# holds last 13111d7fe3944a17f307a78b4d2b30c5
	vsetivli zero, 4, e32, m1, ta, ma
	la a0, key
	vle32.v v10, (a0)
	vaeskf1.vi v11, v10, 1
	vaeskf1.vi v12, v11, 2
	vaeskf1.vi v13, v12, 3
	vaeskf1.vi v14, v13, 4
	vaeskf1.vi v15, v14, 5
	vaeskf1.vi v16, v15, 6
	vaeskf1.vi v17, v16, 7
	vaeskf1.vi v18, v17, 8
	vaeskf1.vi v19, v18, 9
	vaeskf1.vi v20, v19, 10
	la a1, last
	vse32.v v20, (a1)

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
	vaesef.vv v2, v20
	la a1, one
	vse32.v v2, (a1)
	vaesz.vs v2, v20
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
	vaesef.vs v2, v20
	la a1, two
	vse32.v v2, (a1)
	vaesz.vs v2, v20
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
	.byte 0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f
text:
	.byte 0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff
	.byte 0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff
one:	.zero 16
back:	.zero 16
two:	.zero 32
back_two:	.zero 32
last:	.zero 16
