// Mixing functions as ciphers and hashes have them.
typedef unsigned int u32; typedef unsigned char u8;
static u32 rot(u32 x, int n) { return x << n | x >> (32 - n); }
void quarter(u32 *s, int a, int b, int c, int d) { s[a] += s[b]; s[d] = rot(s[d] ^ s[a], 16); s[c] += s[d]; s[b] = rot(s[b] ^ s[c], 12); s[a] += s[b]; s[d] = rot(s[d] ^ s[a], 8); s[c] += s[d]; s[b] = rot(s[b] ^ s[c], 7); }
void block(u32 out[16], const u32 in[16]) { u32 x[16]; for (int i = 0; i < 16; i++) x[i] = in[i]; for (int r = 0; r < 10; r++) for (int i = 0; i < 4; i++) { quarter(x, i, 4 + i, 8 + i, 12 + i); quarter(x, i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4); } for (int i = 0; i < 16; i++) out[i] = x[i] + in[i]; }
static const u32 k[8] = {0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5};
u32 compress(const u8 *p) { u32 a = 0x6a09e667, e = 0x510e527f, h = 0x5be0cd19; for (int i = 0; i < 8; i++) { u32 w = (u32)p[4 * i] << 24 | (u32)p[4 * i + 1] << 16 | (u32)p[4 * i + 2] << 8 | p[4 * i + 3]; u32 t = h + (rot(e, 26) ^ rot(e, 21) ^ rot(e, 7)) + k[i] + w; h = e; e = a + t; a = t + (rot(a, 30) ^ rot(a, 19) ^ rot(a, 10)); } return a ^ e ^ h; }
void xtea(u32 v[2], const u32 key[4]) { u32 a = v[0], b = v[1], s = 0; for (int i = 0; i < 32; i++) { a += ((b << 4 ^ b >> 5) + b) ^ (s + key[s & 3]); s += 0x9e3779b9; b += ((a << 4 ^ a >> 5) + a) ^ (s + key[s >> 11 & 3]); } v[0] = a; v[1] = b; }
