/* What the header offers. */

/* Whether a word that matches an encoding is valid with all values that its text shows. */
static bool scope_takes(const struct isa *isa, uint32_t leaf, const word_t *word)
{
   if (!isa->refuses)
      return true;
   struct scopes scopes;
   scopes_init(&scopes, isa, false);
   return scope_take(&scopes, leaf, word);
}

size_t isaglot_fetch(const void *bytes, size_t size, struct isaglot_instruction *out)
{
   bool known;
   uint32_t leaf[2];
   size_t taken = fetch(&tables, bytes, size, &out->word, &out->bits, &known);
   out->leaf = NONE;
   if (taken && known && decide(&tables, tables.root, &out->word, out->bits, leaf) == MATCH_ONE
       && scope_takes(&tables, leaf[0], &out->word))
      out->leaf = leaf[0];
   return taken;
}

bool isaglot_decode(struct isaglot_word word, struct isaglot_instruction *out)
{
   uint32_t leaf[2];
   out->bits = tables.max_bits;
   out->leaf = NONE;
   if (tables.length_count) {
      uint64_t parcel = word.limb[0] & mask_of(tables.parcel_bits);
      uint32_t i = 0;
      while (i < tables.length_count && (parcel & tables.lengths[i].care) != tables.lengths[i].value)
         i++;
      if (i == tables.length_count)
         return false;
      out->bits = tables.lengths[i].bits;
      word = slice(&word, 0, out->bits);
   }
   out->word = word;
   if (decide(&tables, tables.root, &word, out->bits, leaf) != MATCH_ONE || !scope_takes(&tables, leaf[0], &word))
      return false;
   out->leaf = leaf[0];
   return true;
}

const char *isaglot_name(uint32_t leaf)
{
   return leaf < tables.leaf_count ? tables.leaves[leaf].name.text : "";
}

const char *isaglot_mnemonic(uint32_t leaf)
{
   return leaf < tables.leaf_count ? tables.leaves[leaf].display.text : "";
}

const char *isaglot_field_name(uint32_t name)
{
   return name < tables.name_count ? tables.names[name].text : "";
}

uint64_t isaglot_places(size_t size)
{
   uint64_t bytes = place_bytes(&tables);
   return bytes ? size / bytes : size;
}

size_t isaglot_label_limbs(size_t size)
{
   return (size_t)(isaglot_places(size) / 64 + 1);
}

void isaglot_disassemble(const void *bytes, size_t size, const struct isaglot_options *options,
                         const struct isaglot_labels *labels, isaglot_sink sink, void *sink_data)
{
   struct isaglot_options plain = {0};
   struct isaglot_out out;
   out_init(&out, sink, sink_data);
   disassemble(&tables, bytes, size, options ? options : &plain, labels, &out);
}

/* A text that goes to a buffer of limited size. */
struct buffer {
   char *text;
   size_t size, used;
};

static void to_buffer(void *data, const char *text, size_t size)
{
   struct buffer *buffer = data;
   size_t room = buffer->used < buffer->size ? buffer->size - buffer->used : 0;
   if (room)
      memcpy(buffer->text + buffer->used, text, size < room ? size : room);
   buffer->used += size;
}

size_t isaglot_text(struct isaglot_word word, uint32_t bits, char *text, size_t size)
{
   struct isaglot_options plain = {.hide_errors = true};
   struct line line = {.place = 1, .options = &plain};
   struct buffer buffer = {text, size ? size - 1 : 0, 0};
   struct isaglot_out out;
   uint32_t leaf[2];
   out_init(&out, to_buffer, &buffer);
   enum match match = decide(&tables, tables.root, &word, bits, leaf);
   if (match == MATCH_ONE && !show_quickly(&tables, leaf[0], &word, &line, &out)) {
      struct scopes scopes;
      scopes_init(&scopes, &tables, false);
      show_exactly(&scopes, &word, bits, &line, &out);
   }
   isaglot_flush(&out);
   if (size)
      text[buffer.used < size ? buffer.used : size - 1] = 0;
   return buffer.used;
}

bool isaglot_fields(struct isaglot_word word, uint32_t bits, isaglot_visit visit, void *data)
{
   struct scopes scopes;
   scopes_init(&scopes, &tables, false);
   if (!scope_enter(&scopes, &word, bits))
      return false;
   take_apart(&scopes, visit, data);
   return true;
}

bool isaglot_encode(uint32_t leaf, const struct isaglot_field *fields, size_t count,
                    struct isaglot_instruction *out, struct isaglot_error *error)
{
   struct isaglot_error ignored;
   struct asked asked = {fields, count};
   out->leaf = leaf;
   out->bits = leaf < tables.leaf_count ? tables.leaves[leaf].width : 0;
   return encode(&tables, leaf, asked, &out->word, error ? error : &ignored);
}

bool isaglot_assemble(const char *text, size_t size, const struct isaglot_reader *reader,
                      struct isaglot_instruction *out, size_t *understood)
{
   struct isaglot_reader plain = {0};
   struct span span = {text, size};
   size_t furthest;
   while (span.size && strchr(" \t\r\n", span.text[0]))
      span = after(span, 1);
   while (span.size && strchr(" \t\r\n", span.text[span.size - 1]))
      span.size--;
   bool found = assemble(&tables, span, reader ? reader : &plain, &out->leaf, &out->word, &furthest);
   out->bits = found ? tables.leaves[out->leaf].width : 0;
   if (understood)
      *understood = furthest;
   return found;
}
