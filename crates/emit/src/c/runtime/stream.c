/* An instruction as text by the rules of the language: every callback, every problem, every width. */

#define MAX_LINE (1 << 20)

/* Where and how a line is printed. "labels" is NULL where none are wanted. */
struct line {
   uint64_t position, place;
   const struct isaglot_labels *labels;
   const struct isaglot_options *options;
};

static inline bool label_at(const uint64_t *set, const struct isaglot_labels *labels, uint64_t position)
{
   return position < labels->places && (set[position / 64] >> (position % 64) & 1);
}

/* Where a code address leads, if that is a place in the stream. */
static bool label_target(struct type type, uint32_t width, uint64_t value, const struct line *line, uint64_t *target)
{
   uint64_t offset = sign_extend(value, width < 64 ? width : 64);
   uint64_t bytes = line->place ? line->place : 1;
   if (type.arg == 0) {
      /* Computed in 32 bits, as C's int. */
      uint64_t at = type.absolute ? value : offset + line->position;
      *target = sign_extend(at & 0xffffffff, 32);
      return !(*target >> 63) && *target < line->labels->places;
   }
   /* Negative numbers are beyond every place; so is what overflows. */
   bool negative = !type.absolute && offset >> 63;
   uint64_t distance = negative ? 0 - offset : (type.absolute ? value : offset);
   if (distance > (UINT64_MAX >> 1) / type.arg)
      return false;
   distance *= type.arg;
   uint64_t base = type.absolute ? 0 : line->position * bytes;
   if (negative && distance > base)
      return false;
   uint64_t address = negative ? base - distance : base + distance;
   if (address % bytes != 0)
      return false;
   *target = address / bytes;
   return *target < line->labels->places;
}

/* Prints a code address as a label, if labels are on and it is in the stream. */
static bool put_label(struct type type, uint32_t width, uint64_t value, const struct line *line,
                      struct isaglot_out *out)
{
   uint64_t target;
   if (!line->labels || !label_target(type, width, value, line, &target))
      return false;
   uint64_t *set = type.call ? line->labels->calls : line->labels->branches;
   set[target / 64] |= UINT64_C(1) << (target % 64);
   put_text(out, type.call ? "fxn" : "l");
   put_unsigned(out, target);
   return true;
}

/* Calls the callback before a field; what it writes counts for no column. */
static void tell(const struct line *line, struct isaglot_out *out, const char *reference, const char *text,
                 const word_t *number)
{
   if (!line->options->field)
      return;
   struct isaglot_value value = {.text = text};
   if (number)
      value.number = *number;
   size_t before = column(out);
   line->options->field(line->options->data, out, reference, &value);
   out->start = out->at - before;
}

static void put_custom(const struct line *line, struct isaglot_out *out, const char *reference, uint64_t value)
{
   if (line->options->custom)
      line->options->custom(line->options->data, out, reference, value);
}

/* Appends the text of the innermost scope. Recursion is bounded by the scopes that can be open. */
static void show(struct scopes *s, const struct line *line, struct isaglot_out *out)
{
   const struct isa *isa = s->isa;
   int scope = s->open - 1;
   uint32_t number = template_of(s, scope);
   if (number == NONE)
      return;
   struct range parts = isa->templates[number];
   for (uint32_t i = parts.from; i < parts.to; i++) {
      const struct part *part = &isa->parts[i];
      struct found found;
      switch (part->kind) {
      case PART_LITERAL:
         put_str(out, part->text);
         continue;
      case PART_ALIGN:
         align(out, part->align);
         continue;
      case PART_MNEMONIC:
         tell(line, out, part->text.text, isa->leaves[s->scope[scope].leaf].display.text, NULL);
         align(out, part->align);
         put_str(out, isa->leaves[s->scope[scope].leaf].display);
         continue;
      default:
         break;
      }
      if (!resolve(s, scope, part->name, &found)) {
         struct problem *p = problem(s, PROBLEM_NO_FIELD);
         if (p)
            p->a = isa->names[part->name];
         continue;
      }
      tell(line, out, part->text.text, NULL, &found.value);
      align(out, part->align);
      struct type type = found.field->type;
      uint32_t width = found.field->width;
      uint64_t low = found.value.limb[0];
      if (type.kind == KIND_SUB) {
         if (column(out) < MAX_LINE && scope_enter_field(s, scope, &found)) {
            show(s, line, out);
            s->open--;
         }
      } else if (type.kind == KIND_CUSTOM) {
         put_custom(line, out, part->text.text, low);
      } else if (type.kind == KIND_BRANCH && put_label(type, width, low, line, out)) {
         /* Printed. */
#if ISAGLOT_MAX_BITS > 64
      } else if (width > 64) {
         put_wide(isa, type, width, &found.value, line->options->mesa26, out);
#endif
      } else {
         put_scalar(isa, type, width, low, line->options->mesa26, out);
      }
   }
}

static bool show_exactly(struct scopes *s, const word_t *word, uint32_t bits, const struct line *line,
                         struct isaglot_out *out)
{
   if (!scope_enter(s, word, bits))
      return false;
   show(s, line, out);
   s->open = 0;
   return true;
}

/* Quick programs: the text of an instruction with which nothing is wrong. A step copies a text that some bits of the
 * word pick, goes on where some bits say, or prints a number. Whatever may be wrong ends in OP_BAIL. */

#define MAX_CALLS 64

/* The value of a node; operands are earlier nodes, and few deep. */
static uint64_t calculate(const struct isa *isa, uint32_t at, const word_t *word)
{
   const struct calc *calc = &isa->calcs[at];
   switch (calc->kind) {
   case CALC_CONST:
      return (uint64_t)calc->y << 32 | calc->x;
   case CALC_BITS:
      return extract(word, calc->x, calc->y);
   case CALC_SELECT:
      return calculate(isa, calculate(isa, calc->x, word) ? calc->y : calc->z, word);
   case CALC_NEGATE:
   case CALC_NOT:
   case CALC_LOGICAL_NOT:
   case CALC_CAST:
      return operate(calc, calculate(isa, calc->x, word), 0);
   default:
      return operate(calc, calculate(isa, calc->x, word), calculate(isa, calc->y, word));
   }
}

static inline uint32_t gather(const struct isa *isa, const struct op *op, const word_t *word)
{
   const struct run *run = isa->runs + (op->y | (uint32_t)op->z << 8);
   uint32_t index = 0;
   for (uint32_t i = 0; i < op->x; i++, run++)
      index |= (uint32_t)((limb_of(word, run->limb) >> run->shift) & mask_of(run->width)) << run->to;
   return index;
}

/* Where a nested encoding goes on; NONE if it is nothing. */
static uint32_t sub_target(const struct isa *isa, const struct sub *sub, const word_t *word)
{
   word_t value = {{0}};
   uint32_t leaf[2];
   value.limb[0] = calculate(isa, sub->value, word);
   if (decide(isa, sub->space, &value, sub->width, leaf) != MATCH_ONE)
      return NONE;
   const struct target *target = &isa->targets[sub->targets + leaf[0] - isa->spaces[sub->space].first];
   return value.limb[0] & target->dont_care ? NONE : target->at;
}

/* Runs a program; false if the exact half has to print the line. */
static bool run(const struct isa *isa, uint32_t at, const word_t *word, const struct line *line,
                struct isaglot_out *out)
{
   uint32_t calls[MAX_CALLS];
   uint32_t depth = 0;
   for (const struct op *op = isa->ops + at;; op++) {
      uint32_t bits = (uint32_t)((limb_of(word, op->x) >> (op->y & 63)) & mask_of(op->z));
      uint32_t next;
      switch (op->code) {
      case OP_TEXT:
         put_pool(out, isa->text, op->n);
         continue;
      case OP_PICK_MANY:
         bits = gather(isa, op, word);
         /* fall through */
      case OP_PICK:
         next = isa->picks[op->n + bits];
         if (next == NONE)
            return false;
         put_pool(out, isa->text, next);
         continue;
      case OP_END:
         if (!depth)
            return true;
         op = isa->ops + calls[--depth] - 1;
         continue;
      case OP_JUMP_MANY:
         bits = gather(isa, op, word);
         /* fall through */
      case OP_JUMP:
         op = isa->ops + isa->jumps[op->n + bits] - 1;
         continue;
      case OP_GOTO:
         op = isa->ops + op->n - 1;
         continue;
      case OP_CALL:
         next = isa->jumps[op->n + bits];
         break;
      case OP_CALL_MANY:
         next = isa->jumps[op->n + gather(isa, op, word)];
         break;
      case OP_IF:
         next = calculate(isa, isa->ifs[op->n].value, word) ? isa->ifs[op->n].then : isa->ifs[op->n].other;
         break;
      case OP_SUB:
         next = sub_target(isa, &isa->subs[op->n], word);
         break;
      case OP_BITS: {
         const struct way *way = &isa->ways[op->n];
         uint64_t value = (limb_of(word, op->x) >> (op->y & 63)) & mask_of(op->z);
         put_scalar(isa, way->type, way->width, value, line->options->mesa26, out);
         continue;
      }
      case OP_SCALAR:
      case OP_BRANCH: {
         const struct scalar *scalar = &isa->scalars[op->n];
         const struct way *way = &isa->ways[scalar->how];
         uint64_t value = calculate(isa, scalar->value, word);
         if (op->code == OP_SCALAR || !put_label(way->type, way->width, value, line, out))
            put_scalar(isa, way->type, way->width, value, line->options->mesa26, out);
         continue;
      }
      case OP_CUSTOM: {
         if (line->options->custom_alone)
            return false;
         const struct scalar *scalar = &isa->scalars[op->n];
         put_custom(line, out, isa->references[scalar->how], calculate(isa, scalar->value, word));
         continue;
      }
      case OP_ALIGN:
         align(out, op->n);
         continue;
      case OP_EXPECT:
         if (calculate(isa, isa->expects[op->n].value, word) != isa->expects[op->n].wanted)
            return false;
         continue;
      default:
         return false;
      }
      /* A call. */
      if (next == NONE || depth == MAX_CALLS)
         return false;
      calls[depth++] = (uint32_t)(op - isa->ops) + 1;
      op = isa->ops + next - 1;
   }
}

/* Begins a text that can be taken back. */
static inline void hold(struct isaglot_out *out)
{
   if (out->at > BUFFER - HELD)
      isaglot_flush(out);
   out->start = out->at;
   out->held = true;
}

/* Takes back what was held. */
static inline void take_back(struct isaglot_out *out)
{
   out->at = out->start;
   out->held = false;
   out->full = false;
}

/* Prints an instruction with which nothing is wrong; false, with nothing printed, if the exact half has to. */
static inline bool show_quickly(const struct isa *isa, uint32_t leaf, const word_t *word, const struct line *line,
                                struct isaglot_out *out)
{
   if (has_dont_care(isa, leaf, word))
      return false;
   hold(out);
   if (run(isa, isa->leaves[leaf].program, word, line, out) && !out->full) {
      out->held = false;
      return true;
   }
   take_back(out);
   return false;
}

/* A stream of instructions as lines of text. */

/* Bytes from one place to the next. */
static uint64_t place_bytes(const struct isa *isa)
{
   return isa->length_count ? 1 : isa->max_bits / 8;
}

/* Looks for labels in a whole stream. */
static void mark(const struct isa *isa, const unsigned char *bytes, size_t size, const struct isaglot_labels *labels,
                 bool mesa26)
{
   struct isaglot_options plain = {.mesa26 = mesa26};
   struct line line = {.place = place_bytes(isa), .labels = labels, .options = &plain};
   struct isaglot_out out;
   struct scopes scopes;
   out_init(&out, NULL, NULL);
   scopes_init(&scopes, isa, false);
   word_t word;
   uint32_t bits, leaf[2];
   bool known;
   size_t taken;
   for (size_t at = 0; (taken = fetch(isa, bytes + at, size - at, &word, &bits, &known)) != 0; at += taken) {
      if (known && decide(isa, isa->root, &word, bits, leaf) == MATCH_ONE && isa->leaves[leaf[0]].branches) {
         hold(&out);
         bool done = run(isa, isa->leaves[leaf[0]].program, &word, &line, &out) && !out.full;
         take_back(&out);
         if (!done)
            show_exactly(&scopes, &word, bits, &line, &out);
      }
      line.position += taken / (line.place ? line.place : 1);
   }
}

/* Appends what stands before an instruction; "entry" is the first named place that is not done with. */
static void put_label_lines(const struct line *line, size_t *entry, const word_t *word, uint32_t bits,
                            struct isaglot_out *out)
{
   const struct isaglot_options *o = line->options;
   uint64_t position = line->position;
   bool called = label_at(line->labels->calls, line->labels, position);
   bool branched = label_at(line->labels->branches, line->labels, position);
   bool named = *entry < o->entry_count && o->entries[*entry].offset == position;
   while (*entry < o->entry_count && o->entries[*entry].offset < position)
      ++*entry;
   if (position && (called || named)) {
      if (o->before)
         o->before(o->data, out, position, word, bits);
      put_char(out, '\n');
   }
   for (; *entry < o->entry_count && o->entries[*entry].offset == position; ++*entry) {
      if (o->before)
         o->before(o->data, out, position, word, bits);
      put_text(out, o->entries[*entry].name);
      put_text(out, ":\n");
   }
   for (int call = 1; call >= 0; call--) {
      if (call ? !called : !branched)
         continue;
      if (o->before)
         o->before(o->data, out, position, word, bits);
      put_text(out, call ? "fxn" : "l");
      put_unsigned(out, position);
      put_text(out, ":\n");
   }
}

static void disassemble(const struct isa *isa, const unsigned char *bytes, size_t size,
                        const struct isaglot_options *o, const struct isaglot_labels *labels, struct isaglot_out *out)
{
   struct line line = {.place = place_bytes(isa), .labels = labels, .options = o};
   struct scopes scopes;
   scopes_init(&scopes, isa, !o->hide_errors);
   uint64_t bad = 0;
   size_t entry = 0;
   word_t word;
   uint32_t bits, leaf[2];
   bool known;
   size_t taken;
   if (labels)
      mark(isa, bytes, size, labels, o->mesa26);
   for (size_t at = 0; (taken = fetch(isa, bytes + at, size - at, &word, &bits, &known)) != 0; at += taken) {
      if (o->max_errors && bad > o->max_errors)
         break;
      if (labels)
         put_label_lines(&line, &entry, &word, bits, out);
      if (o->before)
         o->before(o->data, out, line.position, &word, bits);
      out->start = out->at;
      bool printed = false, exact = o->exact || o->field || scopes.problem_count;
      if (known && !exact) {
         enum match match = decide(isa, isa->root, &word, bits, leaf);
         printed = match == MATCH_ONE && show_quickly(isa, leaf[0], &word, &line, out);
         exact = !printed && match != MATCH_NONE;
      }
      if (known && exact)
         printed = show_exactly(&scopes, &word, bits, &line, out);
      if (!printed) {
         /* Problems stay until a line that shows them. */
         bad++;
         if (o->no_match) {
            o->no_match(o->data, out, &word, bits);
         } else {
            put_text(out, "no match: ");
            put_word(out, &word, bits);
            put_char(out, '\n');
         }
      } else {
         if (scopes.problem_count) {
            put_text(out, "\t; ");
            put_problems(&scopes, out);
            scopes.problem_count = 0;
            bad++;
         } else {
            bad = 0;
         }
         if (o->after)
            o->after(o->data, out, line.position, &word, bits);
         put_char(out, '\n');
         if (o->stop && *o->stop)
            break;
      }
      line.position += isa->length_count ? taken : 1;
   }
   isaglot_flush(out);
}
