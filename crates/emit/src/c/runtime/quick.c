/* Quick programs, run from their table. */

/* The bits of two runs. */
static inline uint32_t index_of(const struct op *op, const word_t *word)
{
   return few(op->first, word) | few(op->second, word);
}

/* The bits of many runs. */
static inline uint32_t gather(const struct isa *isa, const struct op *op, const word_t *word)
{
   const struct bits *run = isa->runs + op->first.mask;
   uint32_t index = 0;
   for (uint32_t i = 0; i < op->first.limb; i++)
      index |= few(run[i], word);
   return index;
}

/* Runs a program whose first step writes at "at"; gives the place behind its text, NOWHERE if the exact half has to print
 * the line. */
static size_t run(const struct isa *isa, uint32_t program, size_t at, const word_t *word, const struct line *line,
                  struct isaglot_out *out)
{
   uint32_t calls[MAX_CALLS];
   uint32_t depth = 0;
   for (const struct op *op = isa->ops + program;; op++) {
      uint32_t next;
      switch (op->code) {
      case OP_TEXT:
         at = quick_copy(out, at, isa->text, op->n);
         continue;
      case OP_PICK:
      case OP_PICK_MANY:
         next = op->n + (op->code == OP_PICK ? index_of(op, word) : gather(isa, op, word));
         at = quick_copy(out, at, isa->text, isa->picks[next]);
         if (at == NOWHERE)
            return at;
         continue;
      case OP_END:
         if (!depth)
            return at;
         op = isa->ops + calls[--depth] - 1;
         continue;
      case OP_JUMP:
         op = isa->ops + isa->jumps[op->n + index_of(op, word)] - 1;
         continue;
      case OP_JUMP_MANY:
         op = isa->ops + isa->jumps[op->n + gather(isa, op, word)] - 1;
         continue;
      case OP_GOTO:
         op = isa->ops + op->n - 1;
         continue;
      case OP_CALL:
         next = isa->jumps[op->n + index_of(op, word)];
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
      default:
         at = step(isa, op, at, word, line, out);
         if (at == NOWHERE)
            return at;
         continue;
      }
      /* A call. */
      if (next == NONE || depth == MAX_CALLS)
         return NOWHERE;
      calls[depth++] = (uint32_t)(op - isa->ops) + 1;
      op = isa->ops + next - 1;
   }
}
