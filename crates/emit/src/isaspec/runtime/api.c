
/* The driver's side: its options and callbacks over the codec above. */

#define WORDS ((ISAGLOT_MAX_BITS + 31) / 32)

struct decode_scope {
   uint32_t gpu_id;
   struct scopes *scopes;
   const struct variant *variant;
   const struct isaglot_isa_unpacker *unpacker;
   /* The field that is being unpacked. */
   const struct found *found;
   int inside;
};

/* The tables for the gens from "from" on. */
struct variant {
   uint32_t from;
   const struct isa *isa;
};

static const struct variant *variant_for(uint32_t gpu_id);

/* What encodings and names are called outside. */
static uint32_t outer_leaf(uint32_t leaf);
static uint32_t outer_name(uint32_t name);

/* One run over a stream. */
struct session {
   const struct isa_decode_options *options;
   FILE *out;
};

static void to_file(void *data, const char *text, size_t size)
{
   const struct session *session = data;
   fwrite(text, 1, size, session->out);
}

static void split(const word_t *word, uint32_t *words)
{
   for (uint32_t i = 0; i < WORDS; i++)
      words[i] = (uint32_t)(word->limb[i / 2] >> (32 * (i % 2)) & 0xffffffff);
}

static void on_before(void *data, struct isaglot_out *out, uint64_t position, const word_t *word, uint32_t bits)
{
   const struct isa_decode_options *o = ((const struct session *)data)->options;
   uint32_t words[WORDS];
   (void)bits;
   split(word, words);
   isaglot_flush(out);
   o->pre_instr_cb(o->cbdata, (unsigned)position, words);
}

static void on_after(void *data, struct isaglot_out *out, uint64_t position, const word_t *word, uint32_t bits)
{
   const struct isa_decode_options *o = ((const struct session *)data)->options;
   uint32_t words[WORDS];
   (void)bits;
   split(word, words);
   isaglot_flush(out);
   o->post_instr_cb(o->cbdata, (unsigned)position, words);
}

static void on_field(void *data, struct isaglot_out *out, const char *reference, const struct isaglot_value *value)
{
   const struct isa_decode_options *o = ((const struct session *)data)->options;
   struct isa_decode_value told = {.str = value->text, .num = value->text ? 0 : value->number.limb[0]};
   isaglot_flush(out);
   o->field_cb(o->cbdata, reference, &told);
}

static void on_custom(void *data, struct isaglot_out *out, const char *reference, uint64_t value)
{
   const struct session *session = data;
   struct isa_print_state print = {.out = session->out, .line_column = (unsigned)column(out)};
   isaglot_flush(out);
   session->options->field_print_cb(&print, reference, value);
   out->start = out->at - print.line_column;
}

static void on_no_match(void *data, struct isaglot_out *out, const word_t *word, uint32_t bits)
{
   const struct session *session = data;
   uint32_t words[WORDS];
   split(word, words);
   isaglot_flush(out);
   session->options->no_match_cb(session->out, words, (bits + 31) / 32);
}

static int by_place(const void *a, const void *b)
{
   const struct isaglot_entry *x = a, *y = b;
   if (x->offset != y->offset)
      return x->offset < y->offset ? -1 : 1;
   return strcmp(x->name, y->name);
}

void isaglot_isa_disasm(void *bin, int sz, FILE *out, const struct isa_decode_options *options)
{
   static const struct isa_decode_options none;
   const struct isa_decode_options *o = options ? options : &none;
   struct session session = {.options = o, .out = out};
   struct isa isa = *variant_for(o->gpu_id)->isa;
   struct isaglot_options codec = {
      .hide_errors = !o->show_errors,
      .mesa26 = MESA_26,
      .exact = GPU_ID_SHOWS,
      .custom_alone = o->field_print_cb != NULL,
      .max_errors = o->max_errors,
      .stop = &o->stop,
      .data = &session,
      .field = o->field_cb ? on_field : NULL,
      .custom = o->field_print_cb ? on_custom : NULL,
      .before = o->pre_instr_cb ? on_before : NULL,
      .after = o->post_instr_cb ? on_after : NULL,
      .no_match = o->no_match_cb ? on_no_match : NULL,
   };
   struct isaglot_out text;
   struct isaglot_labels labels = {NULL, NULL, 0, NULL};
   struct isaglot_entry *entries = NULL;
   size_t size = sz > 0 ? (size_t)sz : 0;

   isa.generation = o->gpu_id;
   out_init(&text, to_file, &session);
   if (o->branch_labels) {
      size_t limbs, sets = isa.length_count ? 3 : 2;
      labels.places = size / place_bytes(&isa);
      limbs = (size_t)(labels.places / 64 + 1);
      /* One allocation for all sets. Without memory there are no labels. */
      labels.branches = calloc(sets * limbs, sizeof(uint64_t));
      labels.calls = labels.branches ? labels.branches + limbs : NULL;
      labels.starts = labels.branches && sets == 3 ? labels.calls + limbs : NULL;
      if (o->entrypoint_count)
         entries = calloc(o->entrypoint_count, sizeof(*entries));
      if (entries) {
         for (unsigned i = 0; i < o->entrypoint_count; i++) {
            entries[i].name = o->entrypoints[i].name;
            entries[i].offset = o->entrypoints[i].offset;
         }
         qsort(entries, o->entrypoint_count, sizeof(*entries), by_place);
         codec.entries = entries;
         codec.entry_count = o->entrypoint_count;
      }
   }
   disassemble(&isa, bin, size, &codec, labels.branches ? &labels : NULL, &text);
   free(entries);
   free(labels.branches);
}

uint32_t isaglot_isa_get_gpu_id(struct decode_scope *scope)
{
   return scope->gpu_id;
}

/* Walks the fields that the text of the innermost scope shows. */
static void unpack(void *out, struct decode_scope *at)
{
   struct scopes *s = at->scopes;
   const struct isa *isa = s->isa;
   int scope = s->open - 1;
   uint32_t leaf = outer_leaf(s->scope[scope].leaf);
   uint32_t number;

   if (at->unpacker)
      at->unpacker->leaf(out, at, leaf);
   number = template_of(s, scope);
   if (number == NONE)
      return;
   for (uint32_t i = isa->templates[number].from; i < isa->templates[number].to; i++) {
      const struct part *part = &isa->parts[i];
      struct found found;
      if (part->kind != PART_FIELD)
         continue;
      if (!resolve(s, scope, part->name, &found)) {
         struct problem *p = problem(s, PROBLEM_NO_FIELD);
         if (p)
            p->a = isa->names[part->name];
         continue;
      }
      if (at->unpacker) {
         at->found = &found;
         at->inside = scope;
         at->unpacker->field(out, at, leaf, outer_name(part->name), found.value.limb[0]);
      }
   }
}

static bool unpack_instruction(void *out, const void *bin, const struct isa_decode_options *options,
                               const struct isaglot_isa_unpacker *unpacker)
{
   static const struct isa_decode_options none;
   const struct isa_decode_options *o = options ? options : &none;
   struct decode_scope at = {.gpu_id = o->gpu_id, .variant = variant_for(o->gpu_id), .unpacker = unpacker};
   struct isa isa = *at.variant->isa;
   struct scopes scopes;
   word_t word;
   uint32_t bits;
   bool known;

   isa.generation = o->gpu_id;
   scopes_init(&scopes, &isa, o->show_errors);
   at.scopes = &scopes;
   fetch(&isa, bin, (ISAGLOT_MAX_BITS + 7) / 8, &word, &bits, &known);
   if (!known || !scope_enter(&scopes, &word, bits))
      return false;
   unpack(out, &at);
   return scopes.problem_count == 0;
}
