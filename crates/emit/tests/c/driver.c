/* Disassembles a file with a generated codec: driver [-l] [-q] [-x] [-m N] [-n MOST] FILE [NAME:OFFSET...]. */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isaglot.h"

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
   int size = snprintf(text, sizeof(text), "0x%03" PRIx64, value);
   isaglot_print(out, text, (size_t)size);
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
   bool labels_on = false, decode_only = false;
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
   struct isaglot_labels labels = {calloc(limbs, 8), calloc(limbs, 8), isaglot_places(size)};
   isaglot_disassemble(bytes, size, &options, labels_on ? &labels : NULL, to_stdout, NULL);
   free(labels.branches);
   free(labels.calls);
   free(entries);
   free(bytes);
   return 0;
}
