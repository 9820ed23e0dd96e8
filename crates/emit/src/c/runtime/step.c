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

static inline uint32_t few(struct bits bits, const word_t *word)
{
   uint64_t limb = word->limb[bits.limb];
   return (uint32_t)(limb >> bits.rotation | limb << (-bits.rotation & 63)) & bits.mask;
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

/* Prints a value. */
static size_t put_number(const struct isa *isa, uint32_t number, size_t at, uint64_t value, const struct line *line,
                         struct isaglot_out *out)
{
   const struct way *way = &isa->ways[number];
   if (way->type.kind == KIND_UINT)
      return quick_unsigned(out, at, value);
   if (way->type.kind == KIND_HEX)
      return quick_hex(out, at, value);
   if (way->type.kind == KIND_INT)
      return quick_signed(out, at, sign_extend(value, way->width));
   slowly(out, at);
   put_scalar(isa, way->type, way->width, value, line->options->mesa26, out);
   return out->at;
}

/* Prints a code address, as a label if it can be. */
static size_t put_branch(const struct isa *isa, uint32_t number, size_t at, uint64_t value, const struct line *line,
                         struct isaglot_out *out)
{
   const struct way *way = &isa->ways[number];
   if (!line->labels)
      return quick_signed(out, at, sign_extend(value, way->width));
   slowly(out, at);
   if (!put_label(way->type, way->width, value, line, out))
      put_scalar(isa, way->type, way->width, value, line->options->mesa26, out);
   return out->at;
}

/* A step that prints what a computation or the program says; NOWHERE if the exact half has to print. */
static size_t step(const struct isa *isa, const struct op *op, size_t at, const word_t *word, const struct line *line,
                   struct isaglot_out *out)
{
   const struct scalar *scalar = &isa->scalars[op->n];
   uint64_t value;
   switch (op->code) {
   case OP_BITS:
      value = (word->limb[op->first.limb] >> op->first.rotation) & mask_of(op->first.mask);
      return put_number(isa, op->n, at, value, line, out);
   case OP_SCALAR:
      return put_number(isa, scalar->how, at, calculate(isa, scalar->value, word), line, out);
   case OP_BRANCH:
      return put_branch(isa, scalar->how, at, calculate(isa, scalar->value, word), line, out);
   case OP_CUSTOM:
      if (line->options->custom_alone) {
         if (out->late_count == MAX_LATE)
            return NOWHERE;
         out->late[out->late_count].at = at;
         out->late[out->late_count].reference = scalar->how;
         out->late[out->late_count++].value = calculate(isa, scalar->value, word);
         return at;
      }
      slowly(out, at);
      put_custom(line, out, isa->references[scalar->how], calculate(isa, scalar->value, word));
      return out->at;
   case OP_ALIGN:
      /* How long a custom field is shows only when it is printed. */
      if (out->late_count)
         return NOWHERE;
      return quick_blanks(out, at, op->n < MAX_ALIGN ? op->n : MAX_ALIGN);
   case OP_EXPECT:
      return calculate(isa, isa->expects[op->n].value, word) == isa->expects[op->n].wanted ? at : NOWHERE;
   default:
      return NOWHERE;
   }
}
