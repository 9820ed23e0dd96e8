// Sorting: by insertion, quick, heap, merge.
static void swap(int *a, int *b) { int t = *a; *a = *b; *b = t; }
void insertion(int *a, int n) { for (int i = 1; i < n; i++) { int x = a[i], j = i; while (j > 0 && a[j - 1] > x) { a[j] = a[j - 1]; j--; } a[j] = x; } }
void quick(int *a, int lo, int hi) { if (lo >= hi) return; int p = a[(lo + hi) / 2], i = lo, j = hi; while (i <= j) { while (a[i] < p) i++; while (a[j] > p) j--; if (i <= j) swap(&a[i++], &a[j--]); } quick(a, lo, j); quick(a, i, hi); }
static void sift(int *a, int i, int n) { for (;;) { int m = i, l = 2 * i + 1; if (l < n && a[l] > a[m]) m = l; if (l + 1 < n && a[l + 1] > a[m]) m = l + 1; if (m == i) return; swap(&a[i], &a[m]); i = m; } }
void heap(int *a, int n) { for (int i = n / 2; i-- > 0;) sift(a, i, n); while (n-- > 1) { swap(&a[0], &a[n]); sift(a, 0, n); } }
static int room[64];
void merge(int *a, int n) { if (n < 2 || n > 64) return; int m = n / 2; merge(a, m); merge(a + m, n - m); int i = 0, j = m, k = 0; while (i < m && j < n) room[k++] = a[j] < a[i] ? a[j++] : a[i++]; while (i < m) room[k++] = a[i++]; while (j < n) room[k++] = a[j++]; for (k = 0; k < n; k++) a[k] = room[k]; }
int sorted(const int *a, int n) { for (int i = 1; i < n; i++) if (a[i - 1] > a[i]) return 0; return 1; }
