/* Runs a program whose first step writes at "at"; gives the place behind its text, NOWHERE if the exact half has to print
 * the line. It follows the tables. */
static size_t run(const struct isa *isa, uint32_t program, size_t at, const word_t *w, const struct line *line,
                  struct isaglot_out *o);

/* A text of a table of at most PAD bytes, if there is one. */
static inline size_t pick(struct isaglot_out *out, size_t at, const char *pool, uint32_t entry)
{
   return entry == NONE ? NOWHERE : quick_short(out, at, pool, entry);
}
