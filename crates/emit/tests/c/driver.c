/* Disassembles a file with a generated codec: driver [-l] [-q] [-x] [-f] [-m N] FILE [NAME:OFFSET...]; driver -d N FILE
 * decodes it N times; driver -r FILE takes every instruction apart and puts it together again; driver -a FILE assembles
 * its lines. With several descriptions in one codec, -n N chooses one. */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isaglot.h"

#ifdef SEVERAL
void isaglot_choose(size_t number);
#endif

static void to_stdout(void *data, const char *text, size_t size)
{
   (void)data;
   fwrite(text, 1, size, stdout);
}

static void custom(void *data, struct isaglot_out *out, const char *reference, uint64_t value)
{
   char text[32];
   (void)data;
   (void)reference;
   size_t size = 0;
   for (uint32_t digit = 16; digit-- > 0;) {
      if (size || digit < 3 || value >> (4 * digit))
         text[size++] = "0123456789abcdef"[value >> (4 * digit) & 15];
   }
   isaglot_print(out, "0x", 2);
   isaglot_print(out, text, size);
}

/* The fields of an instruction. */
struct fields {
   struct isaglot_field list[256];
   size_t count;
};

static void collect(void *data, const struct isaglot_field *field)
{
   struct fields *fields = data;
   if (fields->count < 256)
      fields->list[fields->count++] = *field;
}

/* Takes every instruction apart and puts it together again. */
static int again(const unsigned char *bytes, size_t size)
{
   struct isaglot_instruction instruction, made;
   size_t taken, good = 0, bad = 0;
   for (size_t at = 0; (taken = isaglot_fetch(bytes + at, size - at, &instruction)) != 0; at += taken) {
      struct fields fields = {.count = 0};
      struct isaglot_error error;
      if (instruction.leaf == ISAGLOT_NONE)
         continue;
      isaglot_fields(instruction.word, instruction.bits, collect, &fields);
      if (isaglot_encode(instruction.leaf, fields.list, fields.count, &made, &error) &&
          memcmp(&made.word, &instruction.word, sizeof(made.word)) == 0) {
         good++;
      } else {
         bad++;
         printf("%s at %zu: error %d, %" PRIu32 "\n", isaglot_name(instruction.leaf), at, (int)error.kind, error.what);
      }
   }
   printf("%zu words made again\n", good);
   return bad != 0;
}

static bool read_custom(void *data, const char *reference, const char *text, size_t size, size_t way, size_t *used,
                        uint64_t *value)
{
   (void)data;
   (void)reference;
   if (way || size < 3 || text[0] != '0' || text[1] != 'x')
      return false;
   *value = 0;
   for (*used = 2; *used < size; ++*used) {
      const char *digit = strchr("0123456789abcdef", text[*used]);
      if (!digit || !*digit)
         break;
      *value = *value << 4 | (uint64_t)(digit - "0123456789abcdef");
   }
   return *used > 2;
}

/* Assembles every line of a text; writes the words, 16 digits a limb, the high one first. */
static int assemble_lines(const char *text, size_t size)
{
   struct isaglot_reader reader = {.custom = custom, .read_custom = read_custom};
   while (size) {
      const char *end = memchr(text, '\n', size);
      size_t length = end ? (size_t)(end - text) : size;
      struct isaglot_instruction made;
      if (isaglot_assemble(text, length, &reader, &made, NULL)) {
         for (int i = ISAGLOT_LIMBS; i-- > 0;)
            printf("%016" PRIx64, made.word.limb[i]);
      }
      putchar('\n');
      length += end != NULL;
      text += length;
      size -= length;
   }
   return 0;
}

static int by_place(const void *a, const void *b)
{
   const struct isaglot_entry *x = a, *y = b;
   if (x->offset != y->offset)
      return x->offset < y->offset ? -1 : 1;
   return strcmp(x->name, y->name);
}

int main(int argc, char **argv)
{
   struct isaglot_options options = {.custom = custom};
   bool labels_on = false, decode_only = false, round = false, lines = false;
   int repeat = 1;
   int at = 1;
   for (; at < argc && argv[at][0] == '-'; at++) {
      switch (argv[at][1]) {
      case 'l':
         labels_on = true;
         break;
      case 'q':
         options.hide_errors = true;
         break;
      case 'x':
         options.exact = true;
         break;
      case 'f':
         options.mesa26 = true;
         break;
      case 'm':
         options.max_errors = strtoull(argv[++at], NULL, 10);
         break;
      case 'a':
         lines = true;
         break;
#ifdef SEVERAL
      case 'n':
         isaglot_choose(strtoul(argv[++at], NULL, 10));
         break;
#endif
      case 'r':
         round = true;
         break;
      case 'd':
         decode_only = true;
         repeat = atoi(argv[++at]);
         break;
      default:
         return 2;
      }
   }
   if (at >= argc)
      return 2;
   FILE *file = fopen(argv[at++], "rb");
   if (!file)
      return 1;
   fseek(file, 0, SEEK_END);
   size_t size = (size_t)ftell(file);
   rewind(file);
   unsigned char *bytes = malloc(size + 1);
   if (!bytes || fread(bytes, 1, size, file) != size)
      return 1;
   fclose(file);
   if (lines) {
      int status = assemble_lines((const char *)bytes, size);
      free(bytes);
      return status;
   }
   if (round) {
      int status = again(bytes, size);
      free(bytes);
      return status;
   }
   if (decode_only) {
      /* The sum keeps the work from being optimised away. */
      uint64_t sum = 0;
      for (int i = 0; i < repeat; i++) {
         struct isaglot_instruction instruction;
         size_t taken;
         for (size_t from = 0; (taken = isaglot_fetch(bytes + from, size - from, &instruction)) != 0; from += taken)
            sum += instruction.leaf;
      }
      printf("%" PRIu64 "\n", sum);
      free(bytes);
      return 0;
   }
   size_t count = (size_t)(argc - at);
   struct isaglot_entry *entries = calloc(count + 1, sizeof(*entries));
   for (size_t i = 0; entries && i < count; i++) {
      char *colon = strrchr(argv[at + (int)i], ':');
      if (!colon)
         return 2;
      *colon = 0;
      entries[i].name = argv[at + (int)i];
      entries[i].offset = strtoull(colon + 1, NULL, 0);
   }
   if (entries)
      qsort(entries, count, sizeof(*entries), by_place);
   options.entries = entries;
   options.entry_count = count;
   size_t limbs = isaglot_label_limbs(size);
   struct isaglot_labels labels = {calloc(limbs, 8), calloc(limbs, 8), isaglot_places(size), calloc(limbs, 8)};
   isaglot_disassemble(bytes, size, &options, labels_on ? &labels : NULL, to_stdout, NULL);
   free(labels.branches);
   free(labels.calls);
   free(labels.starts);
   free(entries);
   free(bytes);
   return 0;
}
