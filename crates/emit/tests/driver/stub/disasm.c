/* A driver that uses every option and callback. Instructions come from standard input, the text goes to standard output.
 *
 *   -g GEN  -q (no errors)  -m N (max_errors)  -l (labels)  -e NAME:OFFSET (entry point)  -c (no field_print_cb)
 *   -p (pre_instr_cb: number and words)  -t (every callback leaves a trace)  -b (no_match_cb: in brackets)
 *   -n FILE (texts of custom fields: lines "FIELD:VALUE TEXT")  -s N (stop after instruction N)  -d (isa_decode alone)
 *   -0 (no options at all)
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define DISASM JOIN(PREFIX, _isa_disasm)
#define DECODE JOIN(PREFIX, _isa_decode)

#define MOST 4096

struct name {
   char key[64], text[64];
};

static struct name names[MOST];
static unsigned name_count;
static struct isa_entrypoint entries[MOST];
static struct isa_decode_options options = {.show_errors = true};
static unsigned stop_at = UINT32_MAX;
static bool trace, prefix;
static const char data[] = "the driver's own";

static void
check_data(const void *given)
{
   if (given != data)
      abort();
}

static void
on_field(void *given, const char *field_name, struct isa_decode_value *val)
{
   check_data(given);
   if (val->str)
      printf("<%s=%s>", field_name, val->str);
   else
      printf("<%s=%" PRIx64 ">", field_name, val->num);
}

static void
on_custom(struct isa_print_state *print, const char *field_name, uint64_t val)
{
   char key[64];
   const int length = (int)strcspn(field_name, ":");

   snprintf(key, sizeof(key), "%.*s:%" PRIu64, length, field_name, val);
   for (unsigned i = 0; i < name_count; i++) {
      if (strcmp(names[i].key, key) == 0) {
         isa_print(print, "%s", names[i].text);
         return;
      }
   }
   isa_print(print, "0x%03" PRIx64, val);
}

static void
on_before(void *given, unsigned n, void *instr)
{
   const uint32_t *words = instr;

   check_data(given);
   printf("%3u[", n);
   for (unsigned i = WORDS; i-- > 0;)
      printf("%08x%s", (unsigned)words[i], i ? "_" : "] ");
}

static void
on_after(void *given, unsigned n, void *instr)
{
   const uint32_t *words = instr;

   check_data(given);
   if (trace)
      printf("<post %u %08x>", n, (unsigned)words[0]);
   if (n >= stop_at)
      options.stop = true;
}

static void
on_no_match(FILE *out, const uint32_t *bitset, size_t size)
{
   fprintf(out, "[");
   while (size-- > 0)
      fprintf(out, "%08x", (unsigned)bitset[size]);
   fprintf(out, "]\n");
}

static void
read_names(const char *path)
{
   FILE *file = fopen(path, "r");
   char line[160];

   while (file && name_count < MOST && fgets(line, sizeof(line), file)) {
      const size_t key = strcspn(line, " ");
      snprintf(names[name_count].key, 64, "%.*s", (int)key, line);
      snprintf(names[name_count].text, 64, "%.*s", (int)strcspn(line + key + 1, "\n"), line + key + 1);
      name_count++;
   }
   if (file)
      fclose(file);
}

int
main(int argc, char **argv)
{
   bool decode = false, none = false;
   size_t size = 0, room = 1 << 16;
   char *bytes = malloc(room);

   options.cbdata = (void *)(uintptr_t)data;
   options.field_print_cb = on_custom;
   for (int i = 1; i < argc; i++) {
      const char *value = i + 1 < argc ? argv[i + 1] : "";
      switch (argv[i][1]) {
      case 'g': options.gpu_id = (uint32_t)strtoul(value, NULL, 10); i++; break;
      case 'q': options.show_errors = false; break;
      case 'm': options.max_errors = (unsigned)strtoul(value, NULL, 10); i++; break;
      case 'l': options.branch_labels = true; break;
      case 'c': options.field_print_cb = NULL; break;
      case 'p': prefix = true; break;
      case 't': trace = true; break;
      case 'b': options.no_match_cb = on_no_match; break;
      case 'n': read_names(value); i++; break;
      case 's': stop_at = (unsigned)strtoul(value, NULL, 10); i++; break;
      case 'd': decode = true; break;
      case '0': none = true; break;
      case 'e': {
         char *colon = strrchr(argv[++i], ':');
         entries[options.entrypoint_count].offset = (uint32_t)strtoul(colon + 1, NULL, 10);
         entries[options.entrypoint_count++].name = argv[i];
         *colon = 0;
         break;
      }
      default: return 2;
      }
   }
   options.entrypoints = entries;
   if (trace)
      options.field_cb = on_field;
   if (trace || prefix)
      options.pre_instr_cb = on_before;
   if (trace || stop_at != UINT32_MAX)
      options.post_instr_cb = on_after;
   for (size_t n; bytes && (n = fread(bytes + size, 1, room - size, stdin)) > 0;) {
      size += n;
      if (size == room)
         bytes = realloc(bytes, room *= 2);
   }
   if (!bytes)
      return 1;
   if (decode) {
      for (size_t at = 0; at + 4 * WORDS <= size; at += 4 * WORDS)
         putchar(DECODE(NULL, bytes + at, &options) ? '1' : '0');
   } else {
      DISASM(bytes, (int)size, stdout, none ? NULL : &options);
   }
   free(bytes);
   return 0;
}
