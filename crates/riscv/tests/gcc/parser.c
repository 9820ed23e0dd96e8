// A parser of expressions by recursive descent, with errors.
static const char *p; static int failed;
static int sum(void);
static void blanks(void) { while (*p == ' ' || *p == '\t') p++; }
static int atom(void) { blanks(); if (*p == '(') { p++; int v = sum(); blanks(); if (*p == ')') p++; else failed = 1; return v; } if (*p == '-') { p++; return -atom(); } if (*p < '0' || *p > '9') { failed = 2; return 0; } int v = 0; while (*p >= '0' && *p <= '9') v = v * 10 + *p++ - '0'; return v; }
static int product(void) { int v = atom(); for (;;) { blanks(); if (*p == '*') { p++; v *= atom(); } else if (*p == '/') { p++; int d = atom(); if (d == 0) failed = 3; else v /= d; } else if (*p == '%') { p++; int d = atom(); if (d) v %= d; } else return v; } }
static int sum(void) { int v = product(); for (;;) { blanks(); if (*p == '+') { p++; v += product(); } else if (*p == '-') { p++; v -= product(); } else return v; } }
int evaluate(const char *text, int *error) { p = text; failed = 0; int v = sum(); blanks(); if (*p && !failed) failed = 4; *error = failed; return v; }
