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

static inline void label_set(uint64_t *set, uint64_t position)
{
   set[position / 64] |= UINT64_C(1) << (position % 64);
}

/* Prints a code address as a label, if labels are on and an instruction of the stream is there. */
static bool put_label(struct type type, uint32_t width, uint64_t value, const struct line *line,
                      struct isaglot_out *out)
{
   uint64_t target;
   if (!line->labels || !label_target(type, width, value, line, &target))
      return false;
   label_set(type.call ? line->labels->calls : line->labels->branches, target);
   if (line->labels->starts && !label_at(line->labels->starts, line->labels, target))
      return false;
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

