/* What is wrong with a word, as text at the end of its line. At most MOST messages are kept. */

#define MOST 4

enum problem_kind {
   PROBLEM_CONFLICT,
   PROBLEM_DONT_CARE,
   PROBLEM_NO_FIELD,
   PROBLEM_NO_DISPLAY,
   PROBLEM_NO_MATCH,
   PROBLEM_UNEXPECTED,
   PROBLEM_TOO_DEEP
};

struct problem {
   enum problem_kind kind;
   struct str a, b;
   uint32_t lo, hi;
   word_t got, wanted;
};

/* Fields, guards and expressions of a matched word, by the rules of the language. A scope is a matched encoding with
 * its bits; scopes are kept on a stack. */

#define MAX_SCOPES 20
#define MAX_DEPTH 64
#define MAX_EVALUATIONS 10000
#define MAX_OPENED 1000

struct memo {
   uint32_t expr;
   uint64_t value;
};

struct scope {
   uint32_t leaf;
   word_t value;
   int parent;
   struct range params;
   uint32_t known;
   struct memo memo[MEMO];
};

struct scopes {
   const struct isa *isa;
   struct scope scope[MAX_SCOPES];
   int open;
   uint32_t opened, evaluations;
   /* Expressions that are being evaluated, the outermost first. */
   uint32_t stack[MAX_DEPTH];
   uint32_t depth;
   bool record;
   uint32_t problem_count;
   struct problem problem[MOST];
};

/* A field, and the value it has. */
struct found {
   const struct field *field;
   int scope;
   word_t value;
};

static void scopes_init(struct scopes *s, const struct isa *isa, bool record)
{
   s->isa = isa;
   s->open = 0;
   s->opened = 0;
   s->evaluations = 0;
   s->depth = 0;
   s->record = record;
   s->problem_count = 0;
}

/* A place for one more problem; NULL if it is not kept. */
static struct problem *problem(struct scopes *s, enum problem_kind kind)
{
   if (!s->record || s->problem_count == MOST)
      return NULL;
   struct problem *p = &s->problem[s->problem_count++];
   p->kind = kind;
   return p;
}

static void put_problems(const struct scopes *s, struct isaglot_out *out)
{
   for (uint32_t i = 0; i < s->problem_count; i++) {
      const struct problem *p = &s->problem[i];
      if (i)
         put_text(out, ", ");
      switch (p->kind) {
      case PROBLEM_CONFLICT:
         put_text(out, "bitset conflict: ");
         put_str(out, p->a);
         put_text(out, " vs ");
         put_str(out, p->b);
         break;
      case PROBLEM_DONT_CARE:
         put_text(out, "dontcare bits in ");
         put_str(out, p->a);
         put_text(out, ": ");
         put_word(out, &p->got, s->isa->max_bits);
         break;
      case PROBLEM_NO_FIELD:
         put_text(out, "no field '");
         put_str(out, p->a);
         put_text(out, "'");
         break;
      case PROBLEM_NO_DISPLAY:
         put_str(out, p->a);
         put_text(out, ": no display template");
         break;
      case PROBLEM_NO_MATCH:
         put_text(out, "no match: FIELD: '");
         put_str(out, p->a);
         put_text(out, ".");
         put_str(out, p->b);
         put_text(out, "': ");
         put_word(out, &p->got, s->isa->max_bits);
         break;
      case PROBLEM_UNEXPECTED:
         put_text(out, "WARNING: unexpected bits[");
         put_unsigned(out, p->lo);
         put_text(out, ":");
         put_unsigned(out, p->hi);
         put_text(out, "] in ");
         put_str(out, p->a);
         put_text(out, ": ");
         put_word(out, &p->got, s->isa->max_bits);
         put_text(out, " vs ");
         put_word(out, &p->wanted, s->isa->max_bits);
         break;
      case PROBLEM_TOO_DEEP:
         put_text(out, "fields nested too deeply");
         break;
      }
   }
}

/* Opens a scope; false if there are too many. */
static bool scope_push(struct scopes *s, uint32_t leaf, const word_t *value, int parent, struct range params)
{
   if (s->open == MAX_SCOPES || s->opened == MAX_OPENED) {
      problem(s, PROBLEM_TOO_DEEP);
      return false;
   }
   struct scope *scope = &s->scope[s->open++];
   s->opened++;
   scope->leaf = leaf;
   scope->value = *value;
   scope->parent = parent;
   scope->params = params;
   scope->known = 0;
   return true;
}

/* Decides a value of a space; keeps conflicts and don't-care bits that are set. NONE if it is nothing. */
static uint32_t scope_decide(struct scopes *s, uint32_t space, const word_t *value, uint32_t width)
{
   const struct isa *isa = s->isa;
   uint32_t leaf[2];
   struct problem *p;
   switch (decide(isa, space, value, width, leaf)) {
   case MATCH_ONE:
      if (has_dont_care(isa, leaf[0], value) && (p = problem(s, PROBLEM_DONT_CARE)) != NULL) {
         p->a = isa->leaves[leaf[0]].display;
         for (int i = 0; i < LIMBS; i++)
            p->got.limb[i] = value->limb[i] & pattern_of(isa, leaf[0], 2)[i];
      }
      return leaf[0];
   case MATCH_CONFLICT:
      if ((p = problem(s, PROBLEM_CONFLICT)) != NULL) {
         p->a = isa->leaves[leaf[0]].display;
         p->b = isa->leaves[leaf[1]].display;
      }
      return NONE;
   default:
      return NONE;
   }
}

static bool scope_enter_leaf(struct scopes *s, uint32_t leaf, const word_t *word)
{
   s->open = 0;
   s->opened = 0;
   s->evaluations = 0;
   return scope_push(s, leaf, word, -1, (struct range){0, 0});
}

static bool scope_is_refused(struct scopes *s, int scope);

/* Opens the scope of a word that matches an encoding; false if a value that its text shows makes it invalid. */
static bool scope_take(struct scopes *s, uint32_t leaf, const word_t *word)
{
   if (!scope_enter_leaf(s, leaf, word))
      return false;
   if (!s->isa->refuses)
      return true;
   /* What is wrong is kept when the text is made. */
   bool record = s->record;
   s->record = false;
   bool is_refused = scope_is_refused(s, 0);
   s->record = record;
   s->open = is_refused ? 0 : 1;
   s->opened = 1;
   return !is_refused;
}

/* Opens the scope of an instruction. */
static bool scope_enter(struct scopes *s, const word_t *word, uint32_t width)
{
   uint32_t leaf = scope_decide(s, s->isa->root, word, width);
   return leaf != NONE && scope_take(s, leaf, word);
}

/* Opens the scope of the value of a nested field that is shown in a scope. */
static bool scope_enter_field(struct scopes *s, int inside, const struct found *found)
{
   const struct field *field = found->field;
   uint32_t leaf = scope_decide(s, field->type.arg, &found->value, field->width);
   if (leaf == NONE) {
      struct problem *p = problem(s, PROBLEM_NO_MATCH);
      if (p) {
         p->a = s->isa->leaves[s->scope[inside].leaf].display;
         p->b = s->isa->names[field->name];
         p->got = found->value;
      }
      return false;
   }
   return scope_push(s, leaf, &found->value, inside, field->params);
}

static uint64_t evaluate(struct scopes *s, int scope, uint32_t expr);

static const struct lcase *case_at(const struct isa *isa, uint32_t at)
{
   return &isa->cases[isa->case_lists[at]];
}

/* The first applicable case's definition of a name. */
static const struct field *scope_find(struct scopes *s, int scope, uint32_t name)
{
   const struct isa *isa = s->isa;
   struct range cases = isa->leaves[s->scope[scope].leaf].cases;
   for (uint32_t at = cases.from; at < cases.to; at++) {
      const struct lcase *c = case_at(isa, at);
      bool running = s->depth && s->stack[s->depth - 1] == c->guard;
      if (c->guard != NONE && !running && evaluate(s, scope, c->guard) == 0)
         continue;
      for (uint32_t i = c->fields.from; i < c->fields.to; i++) {
         if (isa->fields[i].name == name)
            return &isa->fields[i];
      }
   }
   return NULL;
}

/* The value of a field made of pieces, the most significant first. */
static word_t compose(const struct isa *isa, const struct field *field, const word_t *word)
{
   if (field->pieces.to == field->pieces.from + 1 && isa->pieces[field->pieces.from].lo != NONE)
      return slice(word, isa->pieces[field->pieces.from].lo, isa->pieces[field->pieces.from].width);
   word_t value = {{0}};
   uint32_t at = 0;
   for (uint32_t i = field->pieces.to; i-- > field->pieces.from;) {
      const struct piece *piece = &isa->pieces[i];
      for (uint32_t done = 0; done < piece->width; done += 64) {
         uint32_t width = piece->width - done < 64 ? piece->width - done : 64;
         uint64_t bits = piece->lo == NONE ? (done ? 0 : piece->implied) : extract(word, piece->lo + done, width);
         insert(&value, at + done, width, bits);
      }
      at += piece->width;
   }
   return value;
}

/* What a name means in a scope, and its value; false if nothing defines it. */
static bool resolve(struct scopes *s, int scope, uint32_t name, struct found *found)
{
   const struct isa *isa = s->isa;
   const struct field *field;
   /* A parameter's meaning is looked up further out, so this ends. */
   while ((field = scope_find(s, scope, name)) == NULL) {
      struct range params = s->scope[scope].params;
      uint32_t i = params.from;
      while (i < params.to && isa->params[i].inner != name)
         i++;
      if (i >= params.to || s->scope[scope].parent < 0)
         return false;
      name = isa->params[i].outer;
      scope = s->scope[scope].parent;
   }
   found->field = field;
   found->scope = scope;
   if (field->derived == NONE) {
      found->value = compose(isa, field, &s->scope[scope].value);
   } else {
      found->value = (word_t){{0}};
      found->value.limb[0] = evaluate(s, scope, field->derived) & mask_of(isa->value_bits);
   }
   return true;
}

static uint64_t wrap(const struct calc *calc, uint64_t value)
{
   return calc->is_signed ? sign_extend(value, calc->bits) : value & mask_of(calc->bits);
}

/* An operator: every one computes in a stated type, wrapping. Division by zero gives 0. */
static uint64_t operate(const struct calc *calc, uint64_t x, uint64_t y)
{
   bool sx = calc->is_signed && x >> 63, sy = calc->is_signed && y >> 63;
   uint64_t ax = sx ? 0 - x : x, ay = sy ? 0 - y : y;
   bool less = sx != sy ? sx : x < y;
   uint32_t amount = (uint32_t)(y % calc->bits) & 63;
   uint64_t value = 0;
   switch (calc->kind) {
   case CALC_NEGATE:
      value = 0 - x;
      break;
   case CALC_NOT:
      value = ~x;
      break;
   case CALC_LOGICAL_NOT:
      return x == 0;
   case CALC_CAST:
      value = x;
      break;
   case CALC_ADD:
      value = x + y;
      break;
   case CALC_SUB:
      value = x - y;
      break;
   case CALC_MUL:
      value = x * y;
      break;
   case CALC_DIV:
      if (y)
         value = sx != sy ? 0 - ax / ay : ax / ay;
      break;
   case CALC_REM:
      if (y)
         value = sx ? 0 - ax % ay : ax % ay;
      break;
   case CALC_AND:
      value = x & y;
      break;
   case CALC_OR:
      value = x | y;
      break;
   case CALC_XOR:
      value = x ^ y;
      break;
   case CALC_SHL:
      value = x << amount;
      break;
   case CALC_SHR:
      value = x >> amount;
      if (sx && amount)
         value |= ~(UINT64_MAX >> amount);
      break;
   case CALC_EQ:
      return x == y;
   case CALC_NE:
      return x != y;
   case CALC_LT:
      return less;
   case CALC_LE:
      return less || x == y;
   case CALC_GT:
      return !less && x != y;
   case CALC_GE:
      return !less;
   case CALC_LOGICAL_AND:
      return x && y;
   case CALC_LOGICAL_OR:
      return x || y;
   default:
      break;
   }
   return wrap(calc, value);
}

/* Fetches every field that the expression mentions, in order, then computes. */
static uint64_t compute(struct scopes *s, int scope, const struct expr *expr)
{
   const struct isa *isa = s->isa;
   uint64_t given[NODES], result[NODES];
   uint32_t count = 0;
   for (uint32_t i = expr->fields.from; i < expr->fields.to; i++) {
      struct found found;
      uint64_t value = 0;
      if (resolve(s, scope, isa->expr_fields[i], &found)) {
         value = found.value.limb[0] & mask_of(isa->value_bits);
      } else {
         struct problem *p = problem(s, PROBLEM_NO_FIELD);
         if (p)
            p->a = isa->names[isa->expr_fields[i]];
      }
      given[count++] = value;
   }
   count = 0;
   for (uint32_t i = expr->nodes.from; i < expr->nodes.to; i++) {
      const struct calc *calc = &isa->expr_nodes[i];
      uint64_t value;
      switch (calc->kind) {
      case CALC_CONST:
         value = (uint64_t)calc->y << 32 | calc->x;
         break;
      case CALC_FIELD:
         value = given[calc->x];
         break;
      case CALC_GEN:
         value = isa->generation;
         break;
      case CALC_SELECT:
         value = result[result[calc->x] ? calc->y : calc->z];
         break;
      case CALC_NEGATE:
      case CALC_NOT:
      case CALC_LOGICAL_NOT:
      case CALC_CAST:
         value = operate(calc, result[calc->x], 0);
         break;
      default:
         value = operate(calc, result[calc->x], result[calc->y]);
         break;
      }
      result[count++] = value;
   }
   return count ? result[count - 1] : 0;
}

static struct memo *remembered(struct scope *scope, uint32_t expr)
{
   for (uint32_t i = 0; i < scope->known; i++) {
      if (scope->memo[i].expr == expr)
         return &scope->memo[i];
   }
   return NULL;
}

static uint64_t evaluate(struct scopes *s, int scope, uint32_t expr)
{
   struct memo *memo = remembered(&s->scope[scope], expr);
   if (memo)
      return memo->value;
   /* The outermost expression may be entered once more. */
   for (uint32_t i = 1; i < s->depth; i++) {
      if (s->stack[i] == expr)
         return 0;
   }
   if (s->depth >= MAX_DEPTH || s->evaluations >= MAX_EVALUATIONS)
      return 0;
   s->evaluations++;
   s->stack[s->depth++] = expr;
   uint64_t value = compute(s, scope, &s->isa->exprs[expr]);
   s->depth--;
   /* An inner evaluation may have left a value already; the outer one counts. */
   memo = remembered(&s->scope[scope], expr);
   if (!memo && s->scope[scope].known < MEMO)
      memo = &s->scope[scope].memo[s->scope[scope].known++];
   if (memo) {
      memo->expr = expr;
      memo->value = value;
   }
   return value;
}

static void check_asserts(struct scopes *s, int scope, const struct lcase *c)
{
   const struct isa *isa = s->isa;
   for (uint32_t i = c->asserts.from; i < c->asserts.to; i++) {
      const struct assertion *assertion = &isa->asserts[i];
      word_t got = slice(&s->scope[scope].value, assertion->lo, assertion->width);
      const uint64_t *wanted = isa->limbs + assertion->value;
      if (memcmp(got.limb, wanted, sizeof(got.limb)) == 0)
         continue;
      struct problem *p = problem(s, PROBLEM_UNEXPECTED);
      if (p) {
         p->a = c->owner;
         p->lo = assertion->lo;
         p->hi = assertion->lo + (assertion->width ? assertion->width : 1) - 1;
         p->got = got;
         memcpy(p->wanted.limb, wanted, sizeof(p->wanted.limb));
      }
   }
}

/* The template of a scope: that of the first applicable case that has one. NONE if there is none. */
static uint32_t template_of(struct scopes *s, int scope)
{
   const struct isa *isa = s->isa;
   const struct leaf *leaf = &isa->leaves[s->scope[scope].leaf];
   for (uint32_t at = leaf->cases.from; at < leaf->cases.to; at++) {
      const struct lcase *c = case_at(isa, at);
      if (c->guard != NONE && evaluate(s, scope, c->guard) == 0)
         continue;
      check_asserts(s, scope, c);
      if (c->template_ != NONE)
         return c->template_;
   }
   struct problem *p = problem(s, PROBLEM_NO_DISPLAY);
   if (p)
      p->a = leaf->display;
   return NONE;
}

/* Whether a field of the text of an open scope, or of one within it, has a value that makes the word invalid. Recursion is
 * bounded by the scopes that can be open. */
static bool scope_is_refused(struct scopes *s, int scope)
{
   const struct isa *isa = s->isa;
   uint32_t number = template_of(s, scope);
   if (number == NONE)
      return false;
   struct range parts = isa->templates[number];
   for (uint32_t i = parts.from; i < parts.to; i++) {
      struct found found;
      uint32_t leaf[2];
      if (isa->parts[i].kind != PART_FIELD || !resolve(s, scope, isa->parts[i].name, &found)
          || found.field->type.kind != KIND_SUB)
         continue;
      if (s->open == MAX_SCOPES || s->opened == MAX_OPENED)
         return false;
      uint32_t space = found.field->type.arg;
      if (decide(isa, space, &found.value, found.field->width, leaf) != MATCH_ONE) {
         if (isa->spaces[space].refuses)
            return true;
         continue;
      }
      bool is_inside = scope_push(s, leaf[0], &found.value, scope, found.field->params);
      bool is_refused = is_inside && scope_is_refused(s, s->open - 1);
      if (s->open)
         s->open--;
      if (is_refused)
         return true;
   }
   return false;
}
