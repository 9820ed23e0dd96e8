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

/* Runs a program; false if the exact half has to print the line. */
static bool run(const struct isa *isa, uint32_t at, const word_t *word, const struct line *line,
                struct isaglot_out *out)
{
   uint32_t calls[MAX_CALLS];
   uint32_t depth = 0;
   for (const struct op *op = isa->ops + at;; op++) {
      uint32_t next;
      switch (op->code) {
      case OP_TEXT:
         put_pool(out, isa->text, op->n);
         continue;
      case OP_PICK:
      case OP_PICK_MANY:
         next = isa->picks[op->n + (op->code == OP_PICK ? index_of(op, word) : gather(isa, op, word))];
         if (next == NONE)
            return false;
         put_pool(out, isa->text, next);
         continue;
      case OP_END:
         if (!depth)
            return true;
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
         if (!step(isa, op, word, line, out))
            return false;
         continue;
      }
      /* A call. */
      if (next == NONE || depth == MAX_CALLS)
         return false;
      calls[depth++] = (uint32_t)(op - isa->ops) + 1;
      op = isa->ops + next - 1;
   }
}
