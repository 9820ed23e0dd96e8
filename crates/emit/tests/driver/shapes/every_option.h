/* A driver that sets every member of isa_decode_options, in C and C++. What it is given as out, words and data is checked. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct listing {
   unsigned lines, fields;
   struct isa_decode_options *options;
   unsigned last;
};

static const uint32_t fish_words[] = {
   0x05000403, 0x20000100, /* add.f 3, r4, r5 */
   0x05000403, 0x30000000, /* (sy)add.f 3, hr4, hr5 */
   0xfe000403, 0x2000011f, /* add.f 3, r4, -2 */
   0x05000403, 0x21000100, /* mul.f before gen 600 */
   0x05000403, 0x22000100, /* mul.f from gen 600 on */
   0x0001fffd, 0x40000000, /* br.eq #-3 */
   0x00000009, 0x60000000, /* call 9 */
   0x00010009, 0x60000000, /* call 9, with a bit that is wrong */
   0x07012345, 0x80000000, /* read */
   0x07012345, 0xb0000000, /* write */
   0x00030000, 0x40000000, /* br with a condition that has no name */
   0xffffffff, 0xffffffff, /* nothing */
   0xfffffffe, 0xffffffff, /* nothing */
   0x05200403, 0x20000110, /* a first source that is nothing */
};

static void
on_field(void *data, const char *field_name, struct isa_decode_value *val)
{
   struct listing *listing = (struct listing *)data;

   listing->fields++;
   if (val->str)
      printf("<%s=%s>", field_name, val->str);
   else
      printf("<%s=%" PRIx64 ">", field_name, val->num);
}

static void
on_custom(struct isa_print_state *print, const char *field_name, uint64_t val)
{
   const unsigned column = print->line_column;

   isa_print(print, "%.*s_%" PRIx64, (int)strcspn(field_name, ":"), field_name, val);
   if (print->line_column <= column)
      abort();
   /* Written past isa_print: the driver counts by itself. */
   fputs("@", print->out);
   print->line_column++;
}

static void
on_before(void *data, unsigned n, void *instr)
{
   struct listing *listing = (struct listing *)data;
   const uint32_t *words = (const uint32_t *)instr;

   listing->lines++;
   printf("%2u %08x%08x: ", n, (unsigned)words[1], (unsigned)words[0]);
}

static void
on_after(void *data, unsigned n, void *instr)
{
   struct listing *listing = (struct listing *)data;
   const uint32_t *words = (const uint32_t *)instr;

   printf(" ; %02x", (unsigned)(words[0] & 0xff));
   if (n == listing->last)
      listing->options->stop = true;
}

static void
on_no_match(FILE *out, const SHAPE_WORD *bitset, size_t size)
{
   fprintf(out, "[%08x", (unsigned)bitset[size - 1]);
   for (size_t i = size - 1; i-- > 0;)
      fprintf(out, " %08x", (unsigned)bitset[i]);
   fprintf(out, "]\n");
}

static void
list(const char *title, uint32_t gen, unsigned which)
{
   static const struct isa_entrypoint entrypoints[] = {{"main", 2}, {"again", 2}, {"far", 4000}};
   struct isa_decode_options options;
   struct listing listing;
   uint32_t words[sizeof(fish_words) / 4];

   memset(&options, 0, sizeof(options));
   memset(&listing, 0, sizeof(listing));
   memcpy(words, fish_words, sizeof(words));
   listing.options = &options;
   listing.last = which & 4 ? 6 : 1000;
   options.gpu_id = gen;
   options.show_errors = (which & 1) != 0;
   options.max_errors = which & 8 ? 1 : 0;
   options.branch_labels = (which & 2) != 0;
   options.stop = false;
   options.cbdata = &listing;
   options.field_cb = which & 16 ? on_field : NULL;
   options.field_print_cb = which & 32 ? on_custom : NULL;
   options.pre_instr_cb = which & 64 ? on_before : NULL;
   options.post_instr_cb = which & (4 | 64) ? on_after : NULL;
   options.no_match_cb = which & 128 ? on_no_match : NULL;
   options.entrypoint_count = which & 2 ? 3 : 0;
   options.entrypoints = entrypoints;
   printf("== %s, gen %u\n", title, (unsigned)gen);
   fish_isa_disasm(words, (int)sizeof(words), stdout, &options);
   printf("-- %u lines, %u fields\n", listing.lines, listing.fields);
}

static void
list_all(void)
{
   uint32_t word[2] = {fish_words[0], fish_words[1]};
   struct isa_decode_options options;

   list("nothing", 500, 0);
   list("errors and custom fields", 600, 1 | 32);
   list("labels", 600, 1 | 2 | 32);
   list("stop", 599, 1 | 4 | 32);
   list("max_errors", 600, 1 | 8 | 32);
   list("field_cb", 600, 1 | 16);
   list("all", 600, 1 | 2 | 16 | 32 | 64 | 128);
   memset(&options, 0, sizeof(options));
   options.show_errors = true;
   printf("decode: %d", (int)fish_isa_decode(NULL, word, &options));
   word[1] = 0xffffffff;
   printf(" %d\n", (int)fish_isa_decode(NULL, word, &options));
}

/* Declared without a definition of the scope, which a driver never sees. */
uint32_t gen_of(struct decode_scope *scope);

uint32_t
gen_of(struct decode_scope *scope)
{
   return fish_isa_get_gpu_id(scope);
}

int
main(void)
{
   list_all();
   return 0;
}
