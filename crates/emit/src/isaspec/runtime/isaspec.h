/*
 * What a driver hands to a disassembler, and what it gets back. The same for every instruction set. It has the guard of
 * Mesa's isaspec.h, so that of the two the one that is included first counts. Words of an instruction are uint32_t, the
 * least significant first.
 */
#if !defined(ISASPEC_H) && !defined(_ISASPEC_H_)
#define _ISASPEC_H_

/* The value of a field: of {NAME} the text, of all others the number. */
struct isa_decode_value {
   const char *str;
   uint64_t num;
};

/* A name for a place, counted in instructions; in bytes where instructions differ in length, as "n" below. */
struct isa_entrypoint {
   const char *name;
   uint32_t offset;
};

/* Where a field is printed. What is written to "out" without isa_print must be added to "line_column". */
struct isa_print_state {
   FILE *out;
   /* Bytes in the line so far. */
   unsigned line_column;
};

struct isa_decode_options {
   /* The gen. */
   uint32_t gpu_id;
   /* Show at the end of a line what is wrong with its instruction. */
   bool show_errors;
   /* If not 0: stop before an instruction that more than so many bad ones in a row precede. */
   unsigned max_errors;
   /* Name the places that branches and calls lead to. */
   bool branch_labels;
   /* A callback may set this: the current instruction is then the last. */
   bool stop;
   /* What callbacks are given. */
   void *cbdata;
   /* Before a field is padded and printed; "field_name" is as written between the braces of a <display>. */
   void (*field_cb)(void *data, const char *field_name, struct isa_decode_value *val);
   /* Prints a field of type custom. */
   void (*field_print_cb)(struct isa_print_state *print, const char *field_name, uint64_t val);
   /* Before every line of an instruction, those of its labels included. "instr" points to its words. */
   void (*pre_instr_cb)(void *data, unsigned n, void *instr);
   /* At the end of an instruction's line. */
   void (*post_instr_cb)(void *data, unsigned n, void *instr);
   /* Prints the line of words that are no instruction, with its end. */
   void (*no_match_cb)(FILE *out, const uint32_t *bitset, size_t size);
   /* Named places, in any order. They need "branch_labels". */
   unsigned entrypoint_count;
   const struct isa_entrypoint *entrypoints;
};

/* Prints and keeps count of the column. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static inline void
isa_print(struct isa_print_state *state, const char *fmt, ...)
{
   char text[256];
   va_list args;
   int size;

   va_start(args, fmt);
   size = vsnprintf(text, sizeof(text), fmt, args);
   va_end(args);
   if (size < 0)
      return;
   if ((size_t)size < sizeof(text)) {
      fwrite(text, 1, (size_t)size, state->out);
      for (int i = 0; i < size; i++)
         state->line_column = text[i] == '\n' ? 0 : state->line_column + 1;
      return;
   }
   /* Too long to look at: such a text is taken to have no line end. */
   va_start(args, fmt);
   vfprintf(state->out, fmt, args);
   va_end(args);
   state->line_column += (unsigned)size;
}

#endif

/* Where an instruction is being decoded. */
struct decode_scope;
