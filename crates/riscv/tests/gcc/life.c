// Cellular automata and random numbers.
static unsigned char field[2][34][34]; static int now; static unsigned seed = 12345;
unsigned random(void) { seed ^= seed << 13; seed ^= seed >> 17; return seed ^= seed << 5; }
void scatter(void) { for (int y = 1; y < 33; y++) for (int x = 1; x < 33; x++) field[now][y][x] = (random() & 7) == 0; }
int generation(void) { int n = 0; for (int y = 1; y < 33; y++) for (int x = 1; x < 33; x++) { int c = 0; for (int dy = -1; dy <= 1; dy++) for (int dx = -1; dx <= 1; dx++) if (dx || dy) c += field[now][y + dy][x + dx]; n += field[!now][y][x] = c == 3 || (c == 2 && field[now][y][x]); } now = !now; return n; }
unsigned rule(unsigned row, unsigned number) { unsigned out = 0; for (int i = 0; i < 32; i++) { unsigned p = (row >> ((i + 1) & 31) & 1) << 2 | (row >> i & 1) << 1 | (row >> ((i + 31) & 31) & 1); out |= (number >> p & 1) << i; } return out; }
