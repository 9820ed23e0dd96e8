/* A step of the walk over the fields of an instruction. */
enum isaglot_field_kind {
   /* A field and its raw value; a negative one in two's complement. */
   ISAGLOT_NUMBER,
   /* A field that is an encoding of its own ("leaf"), and its raw value; its fields follow. */
   ISAGLOT_ENTER,
   /* The end of an encoding; "value" has the bits of it that neither its pattern nor a field holds; of asserted ones,
    * those that are not as asserted. */
   ISAGLOT_LEAVE
};

struct isaglot_field {
   enum isaglot_field_kind kind;
   uint32_t name;
   uint32_t leaf;
   struct isaglot_word value;
};

/* Visits every field of an instruction, nested ones too; the last visit is the end of the instruction. False if the
 * word is invalid. */
typedef void (*isaglot_visit)(void *data, const struct isaglot_field *field);
bool isaglot_fields(struct isaglot_word word, uint32_t bits, isaglot_visit visit, void *data);

/* Why fields make no word; "what" is a field or an encoding. */
enum isaglot_error_kind {
   ISAGLOT_FINE,
   /* The field holds fewer bits than the value needs. */
   ISAGLOT_RANGE,
   /* Nothing in the encoding, as its other fields stand, has the name. */
   ISAGLOT_UNKNOWN,
   /* Bits that the description implies are different in the value. */
   ISAGLOT_IMPLIED,
   /* The word would say something else: the field is derived from others, or shares bits with them. */
   ISAGLOT_CONTRADICTION,
   /* A nested encoding for a field that is a number. */
   ISAGLOT_KIND,
   /* The word would not decode as this encoding. */
   ISAGLOT_LEAF
};

struct isaglot_error {
   enum isaglot_error_kind kind;
   uint32_t what;
};

/* Puts an instruction together from fields, in any order; one that is missing is 0. Nested encodings stand between an
 * ISAGLOT_ENTER, whose value does not count, and an ISAGLOT_LEAVE. False if they make none; "error" may be NULL. */
bool isaglot_encode(uint32_t leaf, const struct isaglot_field *fields, size_t count,
                    struct isaglot_instruction *out, struct isaglot_error *error);

/* How text is read. All zero is a good start. */
struct isaglot_reader {
   /* Floating-point numbers as Mesa 26 prints them. */
   bool mesa26;
   /* What callbacks are given. */
   void *data;
   /* Prints a field of type custom, as for isaglot_options. */
   void (*custom)(void *data, struct isaglot_out *out, const char *reference, uint64_t value);
   /* Reads a field of type custom from the beginning of a text: how much of it, and the value. Ways are counted from 0;
    * false if there is none. */
   bool (*read_custom)(void *data, const char *reference, const char *text, size_t size, size_t way, size_t *used,
                       uint64_t *value);
};

/* Makes the instruction that prints as a text, which must be as the disassembler writes it. Of several that do, one with
 * few ones in bits that do not show. False if there is none; "understood" (NULL if not wanted) then says how much of the
 * text was. "reader" may be NULL. */
bool isaglot_assemble(const char *text, size_t size, const struct isaglot_reader *reader,
                      struct isaglot_instruction *out, size_t *understood);
