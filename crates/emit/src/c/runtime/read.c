/* Text to instruction: the quick programs, run backwards. A step that copies a text picked by some bits says, when that
 * text is there, which values those bits can have; a choice by bits is a choice between places to go on. Bits that
 * follow are set, what remains open is kept as a condition and solved at the end with as few ones as possible. What comes
 * out is decoded and printed again, and taken only if that gives the text. */

#define CONDITIONS 96
#define WAYS 24
#define OPEN 16
#define STEPS 2000000
#define DEPTH 400

enum condition_kind {
   /* The bits of step "what" lead to entry "value" of its table. */
   CONDITION_ENTRY,
   /* The bits "bits" of value "what" are as in "value". */
   CONDITION_VALUE,
   /* Whether value "what" is other than 0. */
   CONDITION_TRUTH
};

struct condition {
   enum condition_kind kind;
   uint32_t what;
   uint64_t bits, value;
};

/* Where calls return to. */
struct frame {
   uint32_t at;
   const struct frame *up;
};

struct state {
   word_t word, known;
   size_t conditions;
};

struct reader {
   const struct isa *isa;
   struct span text;
   const struct isaglot_reader *how;
   struct state state;
   struct condition condition[CONDITIONS];
   uint32_t leaf, steps, depth;
   size_t furthest;
};

static bool go(struct reader *r, uint32_t at, size_t position, const struct frame *calls);

/* Sets bits of a limb; false if one of them is known to be otherwise. */
static bool set_bits(struct reader *r, uint32_t at, uint64_t bits, uint64_t value)
{
   if (at >= LIMBS)
      return bits == 0;
   uint64_t *word = &r->state.word.limb[at], *known = &r->state.known.limb[at];
   if ((*word ^ value) & *known & bits)
      return false;
   *word |= value & bits & ~*known;
   *known |= bits;
   return true;
}

static bool keep(struct reader *r, enum condition_kind kind, uint32_t what, uint64_t bits, uint64_t value)
{
   if (r->state.conditions == CONDITIONS)
      return false;
   r->condition[r->state.conditions++] = (struct condition){kind, what, bits, value};
   return true;
}

static bool is_many(const struct op *op)
{
   return op->code == OP_PICK_MANY || op->code == OP_JUMP_MANY || op->code == OP_CALL_MANY;
}

static bool is_pick(const struct op *op)
{
   return op->code == OP_PICK || op->code == OP_PICK_MANY;
}

/* The runs of a step, as many as given back. */
static uint32_t runs_of(const struct isa *isa, const struct op *op, const struct bits **runs, struct bits two[2])
{
   if (is_many(op)) {
      *runs = isa->runs + op->first.mask;
      return op->first.limb;
   }
   two[0] = op->first;
   two[1] = op->second;
   *runs = two;
   return 2;
}

/* The index that bits of a word make for a step. */
static uint32_t index_in(const struct isa *isa, const struct op *op, const word_t *word)
{
   const struct bits *runs;
   struct bits two[2];
   uint32_t count = runs_of(isa, op, &runs, two), index = 0;
   for (uint32_t i = 0; i < count; i++)
      index |= few(runs[i], word);
   return index;
}

static uint32_t all_bits(const struct isa *isa, const struct op *op)
{
   const struct bits *runs;
   struct bits two[2];
   uint32_t count = runs_of(isa, op, &runs, two), all = 0;
   for (uint32_t i = 0; i < count; i++)
      all |= runs[i].mask;
   return all;
}

/* Adds the bits of the word that make bits of an index. */
static void spread(const struct isa *isa, const struct op *op, uint32_t index, word_t *out)
{
   const struct bits *runs;
   struct bits two[2];
   uint32_t count = runs_of(isa, op, &runs, two);
   for (uint32_t i = 0; i < count; i++) {
      uint64_t bits = index & runs[i].mask;
      if (runs[i].limb < LIMBS)
         out->limb[runs[i].limb] |= bits << runs[i].rotation | bits >> (-runs[i].rotation & 63);
   }
}

static uint32_t entry_at(const struct isa *isa, const struct op *op, uint32_t index)
{
   return is_pick(op) ? isa->picks[op->n + index] : isa->jumps[op->n + index];
}

/* An entry that a step can still lead to, and how many ones lead there at least. */
struct entry {
   uint32_t entry, ones;
};

static bool comes_first(bool pick, struct entry a, struct entry b)
{
   if (pick && (a.entry & 255) != (b.entry & 255))
      return (a.entry & 255) > (b.entry & 255);
   return a.ones != b.ones ? a.ones < b.ones : a.entry < b.entry;
}

static bool text_there(const struct reader *r, uint32_t entry, size_t position)
{
   return begins(after(r->text, position), r->isa->text + (entry >> 8), entry & 255);
}

/* The different entries that a step can still lead to, the likeliest first. */
static size_t entries_of(struct reader *r, const struct op *op, size_t position, struct entry ways[WAYS])
{
   const struct isa *isa = r->isa;
   bool pick = is_pick(op);
   uint32_t all = all_bits(isa, op), known = index_in(isa, op, &r->state.known) & all;
   uint32_t value = index_in(isa, op, &r->state.word) & known, open = all & ~known, part_bits = 0;
   size_t count = 0;
   /* Ones of the part that is decided count before those that only say under which circumstances. */
   part_bits = is_many(op) ? isa->runs[op->first.mask].mask : op->first.mask;
   for (uint32_t left = 0;; left = (left - open) & open) {
      uint32_t index = value | left, entry = entry_at(isa, op, index);
      uint32_t ones = ones_of(index & part_bits) << 8 | ones_of(index);
      size_t i = 0;
      while (i < count && ways[i].entry != entry)
         i++;
      r->steps++;
      if (i < count) {
         if (ones < ways[i].ones)
            ways[i].ones = ones;
      } else if (entry != NONE && count < WAYS && (!pick || text_there(r, entry, position))) {
         ways[count++] = (struct entry){entry, ones};
      }
      if (left == open)
         break;
   }
   for (size_t i = 1; i < count; i++) {
      for (size_t j = i; j > 0 && comes_first(pick, ways[j], ways[j - 1]); j--) {
         struct entry other = ways[j];
         ways[j] = ways[j - 1];
         ways[j - 1] = other;
      }
   }
   return count;
}

/* Keeps that a step leads to an entry, and sets the bits that follow from it. */
static bool entry_is(struct reader *r, const struct op *op, uint32_t entry)
{
   const struct isa *isa = r->isa;
   uint32_t all = all_bits(isa, op), known = index_in(isa, op, &r->state.known) & all;
   uint32_t value = index_in(isa, op, &r->state.word) & known, open = all & ~known;
   uint32_t ones = UINT32_MAX, zeros = UINT32_MAX, count = 0;
   for (uint32_t left = 0;; left = (left - open) & open) {
      if (entry_at(isa, op, value | left) == entry) {
         ones &= left;
         zeros &= ~left;
         count++;
      }
      if (left == open)
         break;
   }
   if (!count)
      return false;
   word_t bits = {{0}}, values = {{0}};
   spread(isa, op, (ones | zeros) & open, &bits);
   spread(isa, op, ones & open, &values);
   for (uint32_t i = 0; i < LIMBS; i++) {
      if (!set_bits(r, i, bits.limb[i], values.limb[i]))
         return false;
   }
   return count == 1 || keep(r, CONDITION_ENTRY, (uint32_t)(op - isa->ops), 0, entry);
}

/* Adds the bits of the word that a value depends on. */
static void support_of(const struct isa *isa, uint32_t node, word_t *out)
{
   const struct calc *calc = &isa->calcs[node];
   switch (calc->kind) {
   case CALC_CONST:
   case CALC_FIELD:
   case CALC_GEN:
      break;
   case CALC_BITS:
      for (uint32_t bit = calc->x; bit < calc->x + calc->y; bit++)
         insert(out, bit, 1, 1);
      break;
   case CALC_SELECT:
      support_of(isa, calc->z, out);
      /* fall through */
   default:
      support_of(isa, calc->x, out);
      if (calc->kind == CALC_SELECT || calc->kind >= CALC_ADD)
         support_of(isa, calc->y, out);
      break;
   }
}

static bool is_const(const struct isa *isa, uint32_t node, uint64_t *value)
{
   const struct calc *calc = &isa->calcs[node];
   *value = (uint64_t)calc->y << 32 | calc->x;
   return calc->kind == CALC_CONST;
}

/* Whether a value is bits of the word in some order, so that there is one way to make it. */
static bool is_bits(const struct isa *isa, uint32_t node)
{
   const struct calc *calc = &isa->calcs[node];
   uint64_t by;
   switch (calc->kind) {
   case CALC_BITS:
   case CALC_CONST:
      return true;
   case CALC_CAST:
      return is_bits(isa, calc->x);
   case CALC_OR:
      return is_bits(isa, calc->x) && is_bits(isa, calc->y);
   case CALC_SHL:
      return is_bits(isa, calc->x) && is_const(isa, calc->y, &by);
   default:
      return false;
   }
}

/* Undoes sums with a constant: the value that is left, and what it must be. */
static uint32_t undo_sums(const struct isa *isa, uint32_t node, uint64_t *target)
{
   for (;;) {
      const struct calc *calc = &isa->calcs[node];
      uint64_t c;
      if (calc->kind == CALC_CAST && wrap(calc, *target) == *target &&
          (isa->calcs[calc->x].kind == CALC_ADD || isa->calcs[calc->x].kind == CALC_SUB)) {
         node = calc->x;
      } else if (calc->kind == CALC_ADD && is_const(isa, calc->y, &c)) {
         *target = wrap(calc, *target - c);
         node = calc->x;
      } else if (calc->kind == CALC_ADD && is_const(isa, calc->x, &c)) {
         *target = wrap(calc, *target - c);
         node = calc->y;
      } else if (calc->kind == CALC_SUB && is_const(isa, calc->y, &c)) {
         *target = wrap(calc, *target + c);
         node = calc->x;
      } else if (calc->kind == CALC_SUB && is_const(isa, calc->x, &c)) {
         *target = wrap(calc, c - *target);
         node = calc->y;
      } else {
         return node;
      }
   }
}

/* Makes the bits "bits" of a value be as in "wanted", as far as bits of the word stand for bits of the value, and keeps
 * that it is so. */
static bool value_is(struct reader *r, uint32_t node, uint64_t bits, uint64_t wanted)
{
   const struct isa *isa = r->isa;
   uint64_t target = wanted;
   uint32_t inner = bits == UINT64_MAX ? undo_sums(isa, node, &target) : node;
   word_t zero = {{0}}, support = {{0}}, changed = {{0}}, values = {{0}};
   support_of(isa, inner, &support);
   uint64_t fixed = calculate(isa, inner, &zero);
   for (int i = 0; i < LIMBS; i++) {
      for (uint64_t left = support.limb[i]; left; left &= left - 1) {
         word_t alone = {{0}};
         alone.limb[i] = left & (0 - left);
         uint64_t column = (calculate(isa, inner, &alone) ^ fixed) & bits;
         if (column)
            changed.limb[i] |= alone.limb[i];
         if ((target ^ fixed) & column)
            values.limb[i] |= alone.limb[i];
      }
   }
   /* Only if the bits taken so do give the value. */
   if (((calculate(isa, inner, &values) ^ target) & bits) == 0) {
      struct state before = r->state;
      bool set = true;
      for (uint32_t i = 0; i < LIMBS && set; i++)
         set = set_bits(r, i, changed.limb[i], values.limb[i]);
      if (set)
         return true;
      r->state = before;
      if (is_bits(isa, inner))
         return false;
   }
   return keep(r, CONDITION_VALUE, node, bits, wanted);
}

/* Whether a condition holds for the word as it stands. */
static bool holds(const struct reader *r, const struct condition *c)
{
   const struct isa *isa = r->isa;
   if (c->kind == CONDITION_ENTRY)
      return entry_at(isa, &isa->ops[c->what], index_in(isa, &isa->ops[c->what], &r->state.word)) == c->value;
   uint64_t value = calculate(isa, c->what, &r->state.word);
   return c->kind == CONDITION_VALUE ? ((value ^ c->value) & c->bits) == 0 : (value != 0) == (c->value != 0);
}

/* What is printed is compared with the text. */
struct comparison {
   struct span text;
   size_t at;
   bool same;
};

static void compare(void *data, const char *text, size_t size)
{
   struct comparison *c = data;
   c->same = c->same && begins(after(c->text, c->at), text, size);
   c->at += size;
}

/* Whether the word prints as the text. */
static bool is_right(struct reader *r)
{
   const struct isa *isa = r->isa;
   uint32_t bits = isa->leaves[r->leaf].width, leaf[2];
   r->steps += 16;
   if (decide(isa, isa->root, &r->state.word, bits, leaf) != MATCH_ONE || leaf[0] != r->leaf)
      return false;
   struct isaglot_options options = {.mesa26 = r->how->mesa26, .data = r->how->data, .custom = r->how->custom};
   struct line line = {.place = 1, .options = &options};
   struct comparison comparison = {r->text, 0, true};
   struct isaglot_out out;
   out_init(&out, compare, &comparison);
   if (!show_quickly(isa, r->leaf, &r->state.word, &line, &out)) {
      struct scopes scopes;
      scopes_init(&scopes, isa, false);
      show_exactly(&scopes, &r->state.word, bits, &line, &out);
   }
   isaglot_flush(&out);
   return comparison.same && comparison.at == r->text.size;
}

/* Meets the conditions from "from" on, with as few ones as possible, and checks the word. */
static bool finish(struct reader *r, size_t from)
{
   const struct isa *isa = r->isa;
   struct {
      uint32_t limb;
      uint64_t bit;
   } open[OPEN];
   uint32_t count = 0;
   const struct condition *c = NULL;
   for (; from < r->state.conditions; from++) {
      word_t support = {{0}};
      c = &r->condition[from];
      if (c->kind == CONDITION_ENTRY)
         spread(isa, &isa->ops[c->what], all_bits(isa, &isa->ops[c->what]), &support);
      else
         support_of(isa, c->what, &support);
      count = 0;
      for (uint32_t i = 0; i < LIMBS; i++) {
         for (uint64_t left = support.limb[i] & ~r->state.known.limb[i]; left; left &= left - 1) {
            if (count < OPEN) {
               open[count].limb = i;
               open[count].bit = left & (0 - left);
            }
            count++;
         }
      }
      if (count == 0 && !holds(r, c))
         return false;
      /* Too many to try are left to the check of the word. */
      if (count > 0 && count <= OPEN)
         break;
   }
   if (from == r->state.conditions)
      return is_right(r);
   struct state before = r->state;
   for (uint32_t ones = 0; ones <= count; ones++) {
      /* All sets of so many bits, the lowest first. */
      for (uint32_t set = (UINT32_C(1) << ones) - 1; set < UINT32_C(1) << count;) {
         if (++r->steps > STEPS)
            return false;
         for (uint32_t i = 0; i < count; i++)
            set_bits(r, open[i].limb, open[i].bit, set >> i & 1 ? open[i].bit : 0);
         if (holds(r, c) && finish(r, from + 1))
            return true;
         r->state = before;
         if (!set)
            break;
         uint32_t low = set & (0 - set), carry = set + low;
         set = (((carry ^ set) / low) >> 2) | carry;
      }
   }
   return false;
}

/* Sets the bits that are so unless the text says otherwise, and finishes the word. */
static bool accept(struct reader *r)
{
   struct state before = r->state;
   for (uint32_t i = 0; i < r->isa->preferred_count; i++) {
      const struct preference *p = &r->isa->preferred[i];
      if (p->leaf == r->leaf)
         set_bits(r, p->limb, p->bits, p->value);
   }
   if (finish(r, 0))
      return true;
   r->state = before;
   return false;
}

/* Makes a number be what was read. */
static bool read_is(struct reader *r, const struct op *op, uint64_t value)
{
   const struct isa *isa = r->isa;
   if (op->code == OP_BITS) {
      uint64_t bits = mask_of(op->first.mask);
      return !(value & ~bits) && set_bits(r, op->first.limb, bits << op->first.rotation, value << op->first.rotation);
   }
   const struct scalar *scalar = &isa->scalars[op->n];
   if (op->code == OP_CUSTOM)
      return value_is(r, scalar->value, UINT64_MAX, value);
   const struct way *way = &isa->ways[scalar->how];
   switch (way->type.kind) {
   case KIND_FLAG:
   case KIND_FLAG_INV:
   case KIND_BOOL_INV:
      return keep(r, CONDITION_TRUTH, scalar->value, 0, value);
   case KIND_INT:
   case KIND_OFFSET:
   case KIND_BRANCH:
   case KIND_FLOAT:
      return value_is(r, scalar->value, mask_of(way->width), value);
   case KIND_BOOL:
      return value_is(r, scalar->value, 0xffffffff, value);
   default:
      return value_is(r, scalar->value, UINT64_MAX, value);
   }
}

static bool read_field(struct reader *r, const struct op *op, size_t position, size_t way, struct reading *out)
{
   const struct isa *isa = r->isa;
   struct span rest = after(r->text, position);
   if (op->code != OP_CUSTOM)
      return read_number(isa, &isa->ways[op->code == OP_BITS ? op->n : isa->scalars[op->n].how], rest, way, out);
   *out = (struct reading){0, 0, true, true};
   if (!r->how->read_custom)
      return way == 0;
   const char *reference = isa->references[isa->scalars[op->n].how];
   return r->how->read_custom(r->how->data, reference, rest.text, rest.size, way, &out->size, &out->value) &&
          out->size <= rest.size;
}

/* Goes through the ways that a step can be taken. */
static bool each_way(struct reader *r, const struct op *op, size_t position, const struct frame *calls)
{
   const struct isa *isa = r->isa;
   struct state before = r->state;
   uint32_t next = (uint32_t)(op - isa->ops) + 1;
   struct frame back = {next, calls};
   struct entry ways[WAYS];
   struct reading reading;
   switch (op->code) {
   case OP_PICK:
   case OP_PICK_MANY:
   case OP_JUMP:
   case OP_JUMP_MANY:
   case OP_CALL:
   case OP_CALL_MANY: {
      bool pick = is_pick(op), call = op->code == OP_CALL || op->code == OP_CALL_MANY;
      size_t count = entries_of(r, op, position, ways);
      for (size_t i = 0; i < count; i++) {
         uint32_t entry = ways[i].entry;
         if (entry_is(r, op, entry) && (pick ? go(r, next, position + (entry & 255), calls)
                                             : go(r, entry, position, call ? &back : calls)))
            return true;
         r->state = before;
      }
      return false;
   }
   case OP_IF:
      for (int other = 0; other < 2; other++) {
         const struct choice *choice = &isa->ifs[op->n];
         if (keep(r, CONDITION_TRUTH, choice->value, 0, !other) &&
             go(r, other ? choice->other : choice->then, position, &back))
            return true;
         r->state = before;
      }
      return false;
   case OP_SUB: {
      const struct sub *sub = &isa->subs[op->n];
      uint32_t first = isa->spaces[sub->space].first;
      uint32_t end = sub->space + 1 < isa->space_count ? isa->spaces[sub->space + 1].first : isa->leaf_count;
      for (uint32_t leaf = first; leaf < end; leaf++) {
         uint64_t care = pattern_of(isa, leaf, 0)[0] | pattern_of(isa, leaf, 2)[0];
         if (value_is(r, sub->value, care, pattern_of(isa, leaf, 1)[0]) &&
             go(r, isa->targets[sub->targets + leaf - first].at, position, &back))
            return true;
         r->state = before;
      }
      return false;
   }
   default:
      for (size_t way = 0; read_field(r, op, position, way, &reading); way++) {
         if (reading.fits && read_is(r, op, reading.value) && go(r, next, position + reading.size, calls))
            return true;
         r->state = before;
         if (!reading.more)
            break;
      }
      return false;
   }
}

/* Goes on at a step with the text from a position on; true if that ends in a word that is right. */
static bool go(struct reader *r, uint32_t at, size_t position, const struct frame *calls)
{
   const struct isa *isa = r->isa;
   for (;;) {
      const struct op *op = &isa->ops[at++];
      if (++r->steps > STEPS)
         return false;
      if (position > r->furthest)
         r->furthest = position;
      switch (op->code) {
      case OP_END:
         if (!calls)
            return position == r->text.size && accept(r);
         at = calls->at;
         calls = calls->up;
         break;
      case OP_BAIL:
         return false;
      case OP_GOTO:
         at = op->n;
         break;
      case OP_TEXT:
         if (!text_there(r, op->n, position))
            return false;
         position += op->n & 255;
         break;
      case OP_ALIGN:
         for (; position < op->n; position++) {
            if (position >= r->text.size || r->text.text[position] != ' ')
               return false;
         }
         break;
      case OP_EXPECT:
         if (!value_is(r, isa->expects[op->n].value, UINT64_MAX, isa->expects[op->n].wanted))
            return false;
         break;
      default:
         if (r->depth == DEPTH)
            return false;
         r->depth++;
         bool found = each_way(r, op, position, calls);
         r->depth--;
         return found;
      }
   }
}

/* Whether the text contains one of these. */
static bool may_be(const struct reader *r, struct range needs)
{
   for (uint32_t i = needs.from; i < needs.to; i++) {
      for (size_t at = 0; at < r->text.size; at++) {
         if (text_there(r, r->isa->needs[i], at))
            return true;
      }
   }
   return needs.from == needs.to;
}

static bool assemble(const struct isa *isa, struct span text, const struct isaglot_reader *how, uint32_t *leaf,
                     word_t *word, size_t *furthest)
{
   struct reader r = {.isa = isa, .text = text, .how = how};
   uint32_t first = isa->spaces[isa->root].first, best = NONE;
   uint32_t end = isa->root + 1 < isa->space_count ? isa->spaces[isa->root + 1].first : isa->leaf_count;
   /* Those that the text can be come first; the others only say how far it is understood. */
   for (int likely = 1; likely >= 0 && best == NONE; likely--) {
      for (r.leaf = first; r.leaf < end && r.steps <= STEPS; r.leaf++) {
         const struct leaf *l = &isa->leaves[r.leaf];
         if (may_be(&r, l->needs) != likely || (best != NONE && isa->leaves[best].width <= l->width))
            continue;
         for (int i = 0; i < LIMBS; i++) {
            r.state.word.limb[i] = pattern_of(isa, r.leaf, 1)[i];
            r.state.known.limb[i] = pattern_of(isa, r.leaf, 0)[i] | pattern_of(isa, r.leaf, 2)[i];
         }
         r.state.conditions = 0;
         r.depth = 0;
         if (go(&r, l->program, 0, NULL)) {
            best = r.leaf;
            *word = r.state.word;
            if (!isa->length_count)
               break;
         }
      }
   }
   *leaf = best;
   *furthest = r.furthest;
   return best != NONE;
}
