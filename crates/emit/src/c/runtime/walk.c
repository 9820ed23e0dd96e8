/* A word as a list of fields, and back. All fields are written where they belong as the word stands, and again where
 * they belong then, until nothing changes; what comes out must say what was asked for. */

#define MAX_ROUNDS 32

static void fill_bits(word_t *word, uint32_t lo, uint32_t width, const uint64_t *value)
{
   for (uint32_t done = 0; done < width; done += 64) {
      uint32_t part = width - done < 64 ? width - done : 64;
      insert(word, lo + done, part, value ? value[done / 64] : UINT64_MAX);
   }
}

/* Whether a case before "end" of an encoding, or a field before "at" of that case, has a name. */
static bool named_before(const struct isa *isa, uint32_t first, uint32_t end, uint32_t at, uint32_t name)
{
   for (uint32_t i = first; i <= end; i++) {
      const struct lcase *c = case_at(isa, i);
      for (uint32_t f = c->fields.from; f < (i == end ? at : c->fields.to); f++) {
         if (isa->fields[f].name == name)
            return true;
      }
   }
   return false;
}

/* The bits that the cases of a scope assert; others are 0. */
static word_t asserted_bits(struct scopes *s, int scope)
{
   const struct isa *isa = s->isa;
   struct range cases = isa->leaves[s->scope[scope].leaf].cases;
   word_t word = {{0}};
   for (uint32_t at = cases.from; at < cases.to; at++) {
      const struct lcase *c = case_at(isa, at);
      if (c->asserts.from == c->asserts.to || (c->guard != NONE && evaluate(s, scope, c->guard) == 0))
         continue;
      for (uint32_t i = c->asserts.from; i < c->asserts.to; i++) {
         const struct assertion *assertion = &isa->asserts[i];
         fill_bits(&word, assertion->lo, assertion->width, isa->limbs + assertion->value);
      }
   }
   return word;
}

/* The bits of a scope that neither its pattern nor a field holds; of asserted ones, those that are not as asserted. Where
 * fields alone do not say which word they are of, all bits count. */
static word_t unclaimed(struct scopes *s, int scope)
{
   const struct isa *isa = s->isa;
   uint32_t number = s->scope[scope].leaf;
   struct range cases = isa->leaves[number].cases;
   word_t claimed, rest, asserted = asserted_bits(s, scope);
   memcpy(claimed.limb, pattern_of(isa, number, 0), sizeof(claimed.limb));
   for (uint32_t at = cases.from; at < cases.to && !isa->leaves[number].knotted; at++) {
      const struct lcase *c = case_at(isa, at);
      for (uint32_t f = c->fields.from; f < c->fields.to; f++) {
         uint32_t name = isa->fields[f].name;
         struct found found;
         if (named_before(isa, cases.from, at, f, name) || !resolve(s, scope, name, &found))
            continue;
         if (found.scope != scope || found.field->derived != NONE)
            continue;
         for (uint32_t i = found.field->pieces.from; i < found.field->pieces.to; i++) {
            if (isa->pieces[i].lo != NONE)
               fill_bits(&claimed, isa->pieces[i].lo, isa->pieces[i].width, NULL);
         }
      }
   }
   for (int i = 0; i < LIMBS; i++)
      rest.limb[i] = (s->scope[scope].value.limb[i] ^ asserted.limb[i]) & ~claimed.limb[i];
   return rest;
}

static void take_apart(struct scopes *s, isaglot_visit visit, void *data)
{
   const struct isa *isa = s->isa;
   int scope = s->open - 1;
   uint32_t number = s->scope[scope].leaf;
   struct range cases = isa->leaves[number].cases;
   struct isaglot_field event = {.kind = ISAGLOT_LEAVE, .name = NONE, .leaf = number};
   event.value = unclaimed(s, scope);
   for (uint32_t at = cases.from; at < cases.to; at++) {
      const struct lcase *c = case_at(isa, at);
      for (uint32_t f = c->fields.from; f < c->fields.to; f++) {
         uint32_t name = isa->fields[f].name;
         struct found found;
         if (named_before(isa, cases.from, at, f, name) || !resolve(s, scope, name, &found))
            continue;
         const struct field *field = found.field;
         struct isaglot_field inner = {.kind = ISAGLOT_NUMBER, .name = name, .leaf = NONE};
         inner.value = slice(&found.value, 0, field->width);
         /* A value that is none of its space stays a number. */
         if (field->type.kind == KIND_SUB && scope_enter_field(s, scope, &found)) {
            inner.kind = ISAGLOT_ENTER;
            inner.leaf = s->scope[s->open - 1].leaf;
            visit(data, &inner);
            take_apart(s, visit, data);
            s->open--;
         } else {
            visit(data, &inner);
         }
      }
   }
   visit(data, &event);
}

/* Fields that are asked for. */
struct asked {
   const struct isaglot_field *list;
   size_t count;
};

/* How many of the fields belong to the encoding that they begin in, its end included. */
static size_t extent(struct asked asked)
{
   size_t depth = 0;
   for (size_t i = 0; i < asked.count; i++) {
      if (asked.list[i].kind == ISAGLOT_ENTER) {
         depth++;
      } else if (asked.list[i].kind == ISAGLOT_LEAVE) {
         if (depth == 0)
            return i + 1;
         depth--;
      }
   }
   return asked.count;
}

/* The bits outside of fields that are asked for. */
static word_t rest_of(struct asked asked)
{
   size_t count = extent(asked);
   if (count && asked.list[count - 1].kind == ISAGLOT_LEAVE)
      return asked.list[count - 1].value;
   return (word_t){{0}};
}

/* The bits that an encoding has whatever its fields are, and these. */
static word_t start_of(const struct isa *isa, uint32_t leaf, const word_t *rest)
{
   word_t word = slice(rest, 0, isa->leaves[leaf].width);
   for (int i = 0; i < LIMBS; i++)
      word.limb[i] |= pattern_of(isa, leaf, 1)[i];
   return word;
}

static struct asked behind(struct asked asked, size_t at)
{
   return (struct asked){asked.list + at, asked.count - at};
}

static bool misfit(struct isaglot_error *error, enum isaglot_error_kind kind, uint32_t what)
{
   if (error->kind == ISAGLOT_FINE) {
      error->kind = kind;
      error->what = what;
   }
   return false;
}

static bool same_word(const word_t *a, const word_t *b)
{
   return memcmp(a->limb, b->limb, sizeof(a->limb)) == 0;
}

/* Writes as much of a value as fits. */
static void write_field(const struct isa *isa, word_t *word, const struct field *field, const word_t *value,
                        struct isaglot_error *error)
{
   word_t fitting = slice(value, 0, field->width);
   if (!same_word(&fitting, value))
      misfit(error, ISAGLOT_RANGE, field->name);
   uint32_t at = field->width;
   for (uint32_t i = field->pieces.from; i < field->pieces.to; i++) {
      const struct piece *piece = &isa->pieces[i];
      at = at > piece->width ? at - piece->width : 0;
      word_t part = slice(value, at, piece->width);
      if (piece->lo != NONE)
         fill_bits(word, piece->lo, piece->width, part.limb);
      else if (part.limb[0] != (piece->implied & mask_of(piece->width)))
         misfit(error, ISAGLOT_IMPLIED, field->name);
   }
}

/* Opens the scope of the value of a nested field that is taken as this encoding, whether it matches or not. */
static bool scope_enter_field_as(struct scopes *s, int inside, const struct found *found, uint32_t leaf)
{
   return scope_push(s, leaf, &found->value, inside, found->field->params);
}

/* The bits of a scope with every field written where it belongs as the scope stands. */
static word_t fill(struct scopes *s, int scope, uint32_t leaf, struct asked asked, const word_t *rest,
                   struct isaglot_error *error)
{
   const struct isa *isa = s->isa;
   word_t word = start_of(isa, leaf, rest), asserted = asserted_bits(s, scope);
   for (int i = 0; i < LIMBS; i++)
      word.limb[i] ^= asserted.limb[i] & ~pattern_of(isa, leaf, 0)[i];
   for (size_t at = 0; at < asked.count && asked.list[at].kind != ISAGLOT_LEAVE;) {
      const struct isaglot_field *field = &asked.list[at++];
      struct asked inside = behind(asked, at);
      struct found found;
      word_t value = field->value;
      if (field->kind == ISAGLOT_ENTER)
         at += extent(inside);
      if (!resolve(s, scope, field->name, &found)) {
         misfit(error, ISAGLOT_UNKNOWN, field->name);
         continue;
      }
      if (field->kind == ISAGLOT_ENTER) {
         if (found.field->type.kind != KIND_SUB || field->leaf >= isa->leaf_count) {
            misfit(error, ISAGLOT_KIND, field->name);
            continue;
         }
         word_t inside_rest = rest_of(inside);
         /* As the leaf that it is to be, whatever the bits are so far; in the end it is decoded. */
         if (scope_enter_field_as(s, scope, &found, field->leaf)) {
            value = fill(s, s->open - 1, field->leaf, inside, &inside_rest, error);
            s->open--;
         } else {
            value = start_of(isa, field->leaf, &inside_rest);
         }
      }
      /* A parameter or a derived field is not written but must come out right in the end. */
      if (found.scope == scope && found.field->derived == NONE)
         write_field(isa, &word, found.field, &value, error);
   }
   return word;
}

/* Checks that a scope says what is asked for. */
static bool agree(struct scopes *s, int scope, struct asked asked, struct isaglot_error *error)
{
   for (size_t at = 0; at < asked.count && asked.list[at].kind != ISAGLOT_LEAVE;) {
      const struct isaglot_field *field = &asked.list[at++];
      struct found found;
      if (!resolve(s, scope, field->name, &found))
         return misfit(error, ISAGLOT_UNKNOWN, field->name);
      if (field->kind == ISAGLOT_NUMBER) {
         word_t wanted = slice(&field->value, 0, found.field->width), got = slice(&found.value, 0, found.field->width);
         if (!same_word(&wanted, &got))
            return misfit(error, ISAGLOT_CONTRADICTION, field->name);
         continue;
      }
      if (found.field->type.kind != KIND_SUB)
         return misfit(error, ISAGLOT_KIND, field->name);
      struct asked inside = behind(asked, at);
      if (!scope_enter_field(s, scope, &found))
         return misfit(error, ISAGLOT_LEAF, field->leaf);
      bool same = s->scope[s->open - 1].leaf == field->leaf;
      bool agreed = same ? agree(s, s->open - 1, inside, error) : misfit(error, ISAGLOT_LEAF, field->leaf);
      s->open--;
      if (!agreed)
         return false;
      at += extent(inside);
   }
   return true;
}

/* The word that is found with the bits "rest" outside of fields; "rest" becomes those that it has. */
static bool attempt(const struct isa *isa, uint32_t leaf, struct asked asked, word_t *rest, word_t *out,
                    struct isaglot_error *error)
{
   struct scopes s;
   scopes_init(&s, isa, false);
   *error = (struct isaglot_error){ISAGLOT_FINE, 0};
   *out = start_of(isa, leaf, rest);
   for (int i = 0; i < MAX_ROUNDS; i++) {
      struct isaglot_error wrong = {ISAGLOT_FINE, 0};
      /* What the word decodes as is asked when it is whole: with an operand that is not placed yet it may be another's. */
      if (!scope_enter_leaf(&s, leaf, out))
         return misfit(error, ISAGLOT_LEAF, leaf);
      word_t next = fill(&s, 0, leaf, asked, rest, &wrong);
      if (same_word(&next, out)) {
         *error = wrong;
         if (wrong.kind != ISAGLOT_FINE || !agree(&s, 0, asked, error))
            return false;
         if (!scope_enter(&s, out, isa->leaves[leaf].width) || s.scope[0].leaf != leaf)
            return misfit(error, ISAGLOT_LEAF, leaf);
         *rest = unclaimed(&s, 0);
         return true;
      }
      *out = next;
   }
   /* The fields chase each other; whichever is not met is named. */
   if (scope_enter(&s, out, isa->leaves[leaf].width))
      agree(&s, 0, asked, error);
   return misfit(error, ISAGLOT_LEAF, leaf);
}

static bool encode(const struct isa *isa, uint32_t leaf, struct asked asked, word_t *out, struct isaglot_error *error)
{
   *error = (struct isaglot_error){ISAGLOT_FINE, 0};
   if (leaf >= isa->leaf_count)
      return misfit(error, ISAGLOT_LEAF, leaf);
   word_t wanted = rest_of(asked), rest = wanted, none = {{0}}, bare;
   bool made = attempt(isa, leaf, asked, &rest, out, error);
   if (!isa->leaves[leaf].knotted || (made && same_word(&rest, &wanted)))
      return made;
   /* Here the rest is all there is: it counts only if it is what was taken apart. */
   struct isaglot_error ignored;
   if (!attempt(isa, leaf, asked, &none, &bare, &ignored))
      return made;
   *out = bare;
   *error = ignored;
   return true;
}
