/*
 * A decoder with the interface of Mesa's, as a program that `isaglot conform` can ask: it reads the bytes of an instruction from each
 * line, as hexadecimal digits in the order of memory, and prints its text, or an empty line if there is something wrong with it.
 *
 * ISA_HEADER is the header of the decoder, ISA_DISASM its function, and ISA_BYTES the size of an instruction. GPU_ID is the gen.
 */

#include ISA_HEADER

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef GPU_ID
#define GPU_ID 0
#endif

static bool is_refused;

static void
no_match(FILE *out, const uint32_t *words, size_t size)
{
   (void)out;
   (void)words;
   (void)size;
   is_refused = true;
}

static int
digit(int c)
{
   if (c >= '0' && c <= '9')
      return c - '0';
   if (c >= 'a' && c <= 'f')
      return c - 'a' + 10;
   return -1;
}

/* What is wrong with an instruction stands after its text: cuts it off. Bits that nobody looks at are no mistake. */
static bool
is_wrong(char *text)
{
   static const char harmless[] = "dontcare bits in ";
   char *list = strstr(text, "\t; ");

   if (!list)
      return false;
   *list = '\0';
   for (const char *one = list + 3; one; one = strstr(one, ", ")) {
      one += strspn(one, ", ");
      if (strncmp(one, harmless, sizeof(harmless) - 1))
         return true;
   }
   return false;
}

int
main(void)
{
   const struct isa_decode_options options = {.gpu_id = GPU_ID, .show_errors = true, .no_match_cb = no_match};
   char line[4 * ISA_BYTES + 16];

   while (fgets(line, sizeof(line), stdin)) {
      uint64_t words[(ISA_BYTES + 7) / 8] = {0};
      unsigned char *bytes = (unsigned char *)words;
      char *text = NULL;
      size_t size = 0;
      FILE *out;

      for (unsigned i = 0; i < ISA_BYTES; i++) {
         const int high = digit(line[2 * i]), low = high < 0 ? -1 : digit(line[2 * i + 1]);
         if (low < 0) {
            fprintf(stderr, "not %d bytes: %s", ISA_BYTES, line);
            return 1;
         }
         bytes[i] = (unsigned char)(high << 4 | low);
      }

      out = open_memstream(&text, &size);
      if (!out)
         return 1;
      is_refused = false;
      ISA_DISASM(words, ISA_BYTES, out, &options);
      fclose(out);
      text[strcspn(text, "\n")] = '\0';
      if (is_wrong(text))
         is_refused = true;
      puts(is_refused ? "" : text);
      free(text);
   }
   return 0;
}
