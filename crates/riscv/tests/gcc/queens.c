// Search with backtracking: queens, a maze, subsets.
static int columns[12], solutions; static char maze[12][12];
static int safe(int row) { for (int i = 0; i < row; i++) { int d = columns[row] - columns[i]; if (d == 0 || d == row - i || d == i - row) return 0; } return 1; }
static void place(int row, int n) { if (row == n) { solutions++; return; } for (columns[row] = 0; columns[row] < n; columns[row]++) if (safe(row)) place(row + 1, n); }
int queens(int n) { solutions = 0; if (n <= 12) place(0, n); return solutions; }
int walk(int x, int y) { if (x < 0 || y < 0 || x > 11 || y > 11 || maze[y][x]) return 0; if (x == 11 && y == 11) return 1; maze[y][x] = 1; if (walk(x + 1, y) || walk(x, y + 1) || walk(x - 1, y) || walk(x, y - 1)) return 1; maze[y][x] = 2; return 0; }
int subsets(const int *a, int n, int sum) { if (sum == 0) return 1; if (n == 0 || sum < 0) return 0; return subsets(a + 1, n - 1, sum - *a) + subsets(a + 1, n - 1, sum); }
