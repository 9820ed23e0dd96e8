// Strings with signs in them that begin comments elsewhere, and functions over strings.
static const char *const words[] = {"alpha", "be#ta", "ga;mma", "del/*ta*/", "eps//ilon", "\"ze\\ta\"", "e\tta\n", "\001\377th", ""};
const char banner[] = "# not a comment; // nor /* this */";
unsigned length(const char *s) { unsigned n = 0; while (*s++) n++; return n; }
int compare(const char *a, const char *b) { while (*a && *a == *b) a++, b++; return (unsigned char)*a - (unsigned char)*b; }
char *copy(char *to, const char *from) { char *r = to; while ((*to++ = *from++)) {} return r; }
const char *word(unsigned n) { return n < sizeof words / sizeof *words ? words[n] : "none"; }
int longest(void) { unsigned best = 0; int at = -1; for (int i = 0; i < 9; i++) if (length(words[i]) > best) { best = length(words[i]); at = i; } return at; }
unsigned hash(const char *s) { unsigned h = 5381; while (*s) h = h * 33 ^ (unsigned char)*s++; return h; }
int is_quote(int c) { return c == '"' || c == '\'' || c == '#' || c == ';'; }
