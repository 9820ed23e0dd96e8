// Functions that call themselves and each other.
unsigned fib(unsigned n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
int ackermann(int m, int n) { return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1)); }
static int odd(unsigned n) __attribute__((noinline));
int even(unsigned n) { return n == 0 ? 1 : odd(n - 1); }
static int odd(unsigned n) { return n == 0 ? 0 : even(n - 1); }
void hanoi(int n, int from, int to, int by, int *moves) { if (n == 0) return; hanoi(n - 1, from, by, to, moves); moves[from * 3 + to]++; hanoi(n - 1, by, to, from, moves); }
struct tree { struct tree *left, *right; int key; };
int depth(const struct tree *t) { if (!t) return 0; int l = depth(t->left), r = depth(t->right); return 1 + (l > r ? l : r); }
struct tree *insert(struct tree *t, struct tree *n) { if (!t) return n; if (n->key < t->key) t->left = insert(t->left, n); else t->right = insert(t->right, n); return t; }
