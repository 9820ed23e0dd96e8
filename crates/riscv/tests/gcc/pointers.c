// Pointers to functions: tables, callbacks, tail calls through registers.
typedef int (*op)(int, int);
static int add(int a, int b) { return a + b; }
static int sub(int a, int b) { return a - b; }
int mul(int a, int b) { return a * b; }
static const op ops[] = {add, sub, mul};
op current = add;
int apply(unsigned n, int a, int b) { return n < 3 ? ops[n](a, b) : current(a, b); }
int fold(op f, const int *a, int n) { int r = 0; for (int i = 0; i < n; i++) r = f(r, a[i]); return r; }
int twice(op f, int x) { return f(f(x, x), x) + current(x, 1); }
void choose(int n) { current = n < 0 ? sub : n > 10 ? mul : add; }
struct object { const struct methods *vt; int v; };
struct methods { int (*get)(struct object *); void (*set)(struct object *, int); };
static int get(struct object *o) { return o->v; }
static void put(struct object *o, int v) { o->v = v; }
const struct methods methods = {get, put};
int visit(struct object *o) { o->vt->set(o, o->vt->get(o) + 1); return o->vt->get(o); }
