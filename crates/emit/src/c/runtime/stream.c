/* Prints a line that is kept once more, with its custom fields where they belong. */
static void put_late(const struct isa *isa, const struct line *line, struct isaglot_out *out)
{
   char text[BUFFER];
   size_t start = out->start, size = out->at - start, done = 0;
   memcpy(text, out->buffer + start, size);
   out->at = start;
   for (uint32_t i = 0; i < out->late_count; i++) {
      const struct late *late = &out->late[i];
      isaglot_print(out, text + done, late->at - start - done);
      done = late->at - start;
      put_custom(line, out, isa->references[late->reference], late->value);
   }
   isaglot_print(out, text + done, size - done);
}

/* Prints an instruction with which nothing is wrong; false, with nothing printed, if the exact half has to. */
static inline bool show_quickly(const struct isa *isa, uint32_t leaf, const word_t *word, const struct line *line,
                                struct isaglot_out *out)
{
   if (has_dont_care(isa, leaf, word))
      return false;
   size_t at = hold(out);
   bool kept = keep_line(out, run(isa, isa->leaves[leaf].program, at, word, line, out));
   if (out->late_count) {
      if (kept)
         put_late(isa, line, out);
      out->late_count = 0;
   }
   return kept;
}

/* A stream of instructions as lines of text. */

/* Bytes from one place to the next. */
static uint64_t place_bytes(const struct isa *isa)
{
   return isa->length_count ? 1 : isa->max_bits / 8;
}

/* Looks for labels in a whole stream. */
static void mark(const struct isa *isa, const unsigned char *bytes, size_t size, const struct isaglot_labels *labels,
                 bool mesa26)
{
   struct isaglot_options plain = {.mesa26 = mesa26};
   struct line line = {.place = place_bytes(isa), .labels = labels, .options = &plain};
   struct isaglot_out out;
   struct scopes scopes;
   out_init(&out, NULL, NULL);
   scopes_init(&scopes, isa, false);
   word_t word;
   uint32_t bits, leaf[2];
   bool known;
   size_t taken;
   for (size_t at = 0; (taken = fetch(isa, bytes + at, size - at, &word, &bits, &known)) != 0; at += taken) {
      if (labels->starts)
         label_set(labels->starts, line.position);
      if (known && decide(isa, isa->root, &word, bits, leaf) == MATCH_ONE && isa->leaves[leaf[0]].branches) {
         size_t from = hold(&out);
         if (!keep_line(&out, run(isa, isa->leaves[leaf[0]].program, from, &word, &line, &out)))
            show_exactly(&scopes, &word, bits, &line, &out);
      }
      line.position += taken / (line.place ? line.place : 1);
   }
}

/* Appends what stands before an instruction; "entry" is the first named place that is not done with. */
static void put_label_lines(const struct line *line, size_t *entry, const word_t *word, uint32_t bits,
                            struct isaglot_out *out)
{
   const struct isaglot_options *o = line->options;
   uint64_t position = line->position;
   bool called = label_at(line->labels->calls, line->labels, position);
   bool branched = label_at(line->labels->branches, line->labels, position);
   bool named = *entry < o->entry_count && o->entries[*entry].offset == position;
   while (*entry < o->entry_count && o->entries[*entry].offset < position)
      ++*entry;
   if (position && (called || named)) {
      if (o->before)
         o->before(o->data, out, position, word, bits);
      put_char(out, '\n');
   }
   for (; *entry < o->entry_count && o->entries[*entry].offset == position; ++*entry) {
      if (o->before)
         o->before(o->data, out, position, word, bits);
      put_text(out, o->entries[*entry].name);
      put_text(out, ":\n");
   }
   for (int call = 1; call >= 0; call--) {
      if (call ? !called : !branched)
         continue;
      if (o->before)
         o->before(o->data, out, position, word, bits);
      put_text(out, call ? "fxn" : "l");
      put_unsigned(out, position);
      put_text(out, ":\n");
   }
}

static void disassemble(const struct isa *isa, const unsigned char *bytes, size_t size,
                        const struct isaglot_options *o, const struct isaglot_labels *labels, struct isaglot_out *out)
{
   struct line line = {.place = place_bytes(isa), .labels = labels, .options = o};
   struct scopes scopes;
   scopes_init(&scopes, isa, !o->hide_errors);
   uint64_t bad = 0;
   size_t entry = 0;
   word_t word;
   uint32_t bits, leaf[2];
   bool known;
   size_t taken;
   if (labels)
      mark(isa, bytes, size, labels, o->mesa26);
   for (size_t at = 0; (taken = fetch(isa, bytes + at, size - at, &word, &bits, &known)) != 0; at += taken) {
      if (o->max_errors && bad > o->max_errors)
         break;
      if (labels)
         put_label_lines(&line, &entry, &word, bits, out);
      if (o->before)
         o->before(o->data, out, line.position, &word, bits);
      out->start = out->at;
      bool printed = false, exact = o->exact || o->field || scopes.problem_count;
      if (known && !exact) {
         enum match match = decide(isa, isa->root, &word, bits, leaf);
         printed = match == MATCH_ONE && show_quickly(isa, leaf[0], &word, &line, out);
         exact = !printed && match != MATCH_NONE;
      }
      if (known && exact)
         printed = show_exactly(&scopes, &word, bits, &line, out);
      if (!printed) {
         /* Problems stay until a line that shows them. */
         bad++;
         if (o->no_match) {
            o->no_match(o->data, out, &word, bits);
         } else {
            put_text(out, "no match: ");
            put_word(out, &word, bits);
            put_char(out, '\n');
         }
      } else {
         if (scopes.problem_count) {
            put_text(out, "\t; ");
            put_problems(&scopes, out);
            scopes.problem_count = 0;
            bad++;
         } else {
            bad = 0;
         }
         if (o->after)
            o->after(o->data, out, line.position, &word, bits);
         put_char(out, '\n');
         if (o->stop && *o->stop)
            break;
      }
      line.position += isa->length_count ? taken : 1;
   }
   isaglot_flush(out);
}
