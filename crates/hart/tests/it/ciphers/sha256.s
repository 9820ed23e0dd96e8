# SHA256 of "abc", whose hash FIPS 180 has. Words of the message and of the hash are numbers here.
# features zve64x zvl128b zvknha
# holds abef 9c7a1796a36103b0eacf018fbf1678ba
# holds cdgh ad1500f261ff10b42322ae5dde404141
	vsetivli zero, 4, e32, m2, ta, ma
	li t0, 1
	vmv.s.x v0, t0
	la a0, abef
	vle32.v v2, (a0)
	la a1, cdgh
	vle32.v v4, (a1)
	vmv.v.v v20, v2
	vmv.v.v v22, v4
	la a2, message
	vle32.v v6, (a2)
	addi a2, a2, 16
	vle32.v v8, (a2)
	addi a2, a2, 16
	vle32.v v10, (a2)
	addi a2, a2, 16
	vle32.v v12, (a2)
	addi a2, a2, 16
	la a3, constants
	la a4, constants_end
rounds:
	vle32.v v14, (a3)
	addi a3, a3, 16
	vadd.vv v14, v14, v6
	vsha2cl.vv v4, v2, v14
	vsha2ch.vv v2, v4, v14
	vmerge.vvm v16, v10, v8, v0
	vsha2ms.vv v6, v16, v12
	vle32.v v14, (a3)
	addi a3, a3, 16
	vadd.vv v14, v14, v8
	vsha2cl.vv v4, v2, v14
	vsha2ch.vv v2, v4, v14
	vmerge.vvm v16, v12, v10, v0
	vsha2ms.vv v8, v16, v6
	vle32.v v14, (a3)
	addi a3, a3, 16
	vadd.vv v14, v14, v10
	vsha2cl.vv v4, v2, v14
	vsha2ch.vv v2, v4, v14
	vmerge.vvm v16, v6, v12, v0
	vsha2ms.vv v10, v16, v8
	vle32.v v14, (a3)
	addi a3, a3, 16
	vadd.vv v14, v14, v12
	vsha2cl.vv v4, v2, v14
	vsha2ch.vv v2, v4, v14
	vmerge.vvm v16, v8, v6, v0
	vsha2ms.vv v12, v16, v10
	bltu a3, a4, rounds
	vadd.vv v2, v2, v20
	vadd.vv v4, v4, v22
	vse32.v v2, (a0)
	vse32.v v4, (a1)
	ebreak
	.data
	.balign 32
abef:	.word 0x9b05688c, 0x510e527f, 0xbb67ae85, 0x6a09e667
cdgh:	.word 0x5be0cd19, 0x1f83d9ab, 0xa54ff53a, 0x3c6ef372
message:
	.word 0x61626380, 0x00000000, 0x00000000, 0x00000000
	.word 0x00000000, 0x00000000, 0x00000000, 0x00000000
	.word 0x00000000, 0x00000000, 0x00000000, 0x00000000
	.word 0x00000000, 0x00000000, 0x00000000, 0x00000018
constants:
	.word 0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5
	.word 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5
	.word 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3
	.word 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174
	.word 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc
	.word 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da
	.word 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7
	.word 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967
	.word 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13
	.word 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85
	.word 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3
	.word 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070
	.word 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5
	.word 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3
	.word 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208
	.word 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2
constants_end:
