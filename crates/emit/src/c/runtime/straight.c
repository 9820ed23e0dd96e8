/* Runs a program; false if the exact half has to print the line. It stands behind the tables. */
static bool run(const struct isa *isa, uint32_t at, const word_t *w, const struct line *line,
                struct isaglot_out *out);

/* Copies a text of a table; false if there is none. */
static inline bool pick(struct isaglot_out *out, const char *pool, uint32_t entry)
{
   if (entry == NONE)
      return false;
   put_pool(out, pool, entry);
   return true;
}
