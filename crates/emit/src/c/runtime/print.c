/* Where text goes: a small buffer before the sink that takes the bytes, with the column of the line. The text of an
 * instruction stays in the buffer until it is decided that it is right, so that it can be taken back. */

#define BUFFER 4096
#define HELD 1024
#define PAD 32
#define MAX_ALIGN 4096

/* In place of the end of a line that the exact half has to print. */
#define NOWHERE SIZE_MAX

/* A custom field whose text the program writes by itself: where it belongs, and what is printed. */
#define MAX_LATE 4

struct late {
   size_t at;
   uint32_t reference;
   uint64_t value;
};

struct isaglot_out {
   /* And room for a short copy. */
   char buffer[BUFFER + PAD];
   size_t at;
   /* Where in the buffer column 0 is; wraps, for it may be before. */
   size_t start;
   bool held, full;
   /* Custom fields of a line that is held: they are printed when it is kept. */
   struct late late[MAX_LATE];
   uint32_t late_count;
   isaglot_sink sink;
   void *data;
};

static void out_init(struct isaglot_out *out, isaglot_sink sink, void *data)
{
   out->at = 0;
   out->start = 0;
   out->held = false;
   out->full = false;
   out->late_count = 0;
   out->sink = sink;
   out->data = data;
}

void isaglot_flush(struct isaglot_out *out)
{
   if (out->held)
      return;
   if (out->at && out->sink)
      out->sink(out->data, out->buffer, out->at);
   out->start -= out->at;
   out->at = 0;
}

void isaglot_print(struct isaglot_out *out, const char *text, size_t size)
{
   while (size) {
      size_t piece = size < HELD ? size : HELD;
      if (out->at + piece > BUFFER) {
         if (out->held) {
            out->full = true;
            return;
         }
         isaglot_flush(out);
      }
      memcpy(out->buffer + out->at, text, piece);
      out->at += piece;
      text += piece;
      size -= piece;
   }
}

static inline size_t column(const struct isaglot_out *out)
{
   return out->at - out->start;
}

static inline void put_char(struct isaglot_out *out, char c)
{
   if (out->at < BUFFER)
      out->buffer[out->at++] = c;
   else
      isaglot_print(out, &c, 1);
}

static inline void put_text(struct isaglot_out *out, const char *text)
{
   isaglot_print(out, text, strlen(text));
}

static inline void put_str(struct isaglot_out *out, struct str str)
{
   isaglot_print(out, str.text, str.size);
}

static void align(struct isaglot_out *out, uint32_t wanted)
{
   if (wanted > MAX_ALIGN)
      wanted = MAX_ALIGN;
   static const char blanks[] = "                                ";
   while (column(out) < wanted && !out->full) {
      size_t missing = wanted - column(out);
      isaglot_print(out, blanks, missing < PAD ? missing : PAD);
   }
}

/* Begins a line that can be taken back; gives the place for its first step. */
static inline size_t hold(struct isaglot_out *out)
{
   if (out->at > BUFFER - HELD)
      isaglot_flush(out);
   out->start = out->at;
   out->held = true;
   return out->at;
}

/* Keeps a line that ends at "end"; false, with the line taken back, if there is none or it was too long. */
static inline bool keep_line(struct isaglot_out *out, size_t end)
{
   bool kept = end <= BUFFER && !out->full;
   out->at = kept ? end : out->start;
   out->held = false;
   out->full = false;
   return kept;
}

/* Quick steps: each is told the place where it writes and gives the place behind. They copy a fixed number of bytes, of
 * which those too many are written over by the next step, and do not check for room: what lies beyond the buffer goes to
 * its end, and shows when the line is done. */
static inline char *quick_room(struct isaglot_out *out, size_t at)
{
   return out->buffer + (at < BUFFER ? at : BUFFER);
}

/* A text, whose size is a constant. */
static inline size_t quick_text(struct isaglot_out *out, size_t at, const char *text, size_t size)
{
   if (size <= PAD)
      memcpy(quick_room(out, at), text, size);
   else if (at <= BUFFER - 256)
      memcpy(out->buffer + at, text, size);
   else
      return BUFFER + 1;
   return at + size;
}

/* A text of at most PAD bytes of a pool that has PAD bytes more behind it: its first byte x 256 + its length. */
static inline size_t quick_short(struct isaglot_out *out, size_t at, const char *pool, uint32_t entry)
{
   memcpy(quick_room(out, at), pool + (entry >> 8), PAD);
   return at + (entry & 255);
}

/* A text of any length, if there is one. */
static inline size_t quick_copy(struct isaglot_out *out, size_t at, const char *pool, uint32_t entry)
{
   if (entry == NONE)
      return NOWHERE;
   if ((entry & 255) <= PAD)
      return quick_short(out, at, pool, entry);
   return quick_text(out, at, pool + (entry >> 8), entry & 255);
}

/* Up to 8 bytes, the first the least significant. */
static inline size_t quick_eight(struct isaglot_out *out, size_t at, uint64_t bytes, size_t size)
{
   char *to = quick_room(out, at);
   for (int i = 0; i < 8; i++)
      to[i] = (char)(bytes >> (8 * i) & 255);
   return at + size;
}

static inline size_t quick_blanks(struct isaglot_out *out, size_t at, uint32_t wanted)
{
   size_t end = out->start + wanted;
   if (end > at + PAD) {
      if (end > BUFFER)
         return BUFFER + 1;
      memset(out->buffer + at, ' ', end - at);
      return end;
   }
   memset(quick_room(out, at), ' ', PAD);
   return end > at ? end : at;
}

/* The 8 digits of a number in hexadecimal, the last the least significant byte. */
static inline uint64_t hexadecimal(uint64_t x)
{
   x = (x | x << 16) & UINT64_C(0x0000ffff0000ffff);
   x = (x | x << 8) & UINT64_C(0x00ff00ff00ff00ff);
   x = (x | x << 4) & UINT64_C(0x0f0f0f0f0f0f0f0f);
   /* 1 in each byte whose digit is a letter. */
   uint64_t letters = ((x + UINT64_C(0x0606060606060606)) >> 4) & UINT64_C(0x0101010101010101);
   x += UINT64_C(0x3030303030303030) + letters * 0x27;
   x = (x & UINT64_C(0x00ff00ff00ff00ff)) << 8 | (x >> 8 & UINT64_C(0x00ff00ff00ff00ff));
   x = (x & UINT64_C(0x0000ffff0000ffff)) << 16 | (x >> 16 & UINT64_C(0x0000ffff0000ffff));
   return x << 32 | x >> 32;
}

static inline uint32_t hex_digits(uint64_t value)
{
   uint32_t digits = 1;
   while (digits < 16 && value >> (4 * digits))
      digits++;
   return digits;
}

static inline size_t quick_hex(struct isaglot_out *out, size_t at, uint64_t value)
{
   uint32_t digits = hex_digits(value);
   if (digits > 8) {
      at = quick_eight(out, at, hexadecimal(value >> 32) >> (8 * (16 - digits)), digits - 8);
      return quick_eight(out, at, hexadecimal(value & 0xffffffff), 8);
   }
   return quick_eight(out, at, hexadecimal(value) >> (8 * (8 - digits)), digits);
}

static size_t quick_unsigned(struct isaglot_out *out, size_t at, uint64_t value)
{
   if (value < 1000) {
      uint32_t v = (uint32_t)value, digits = v < 10 ? 1 : v < 100 ? 2 : 3;
      uint32_t text = (v / 100 | (v / 10 % 10) << 8 | (v % 10) << 16) + 0x303030;
      return quick_eight(out, at, text >> (8 * (3 - digits)), digits);
   }
   uint64_t high = value / 1000;
   uint32_t v = (uint32_t)(value % 1000);
   at = quick_unsigned(out, at, high);
   return quick_eight(out, at, (v / 100 | (v / 10 % 10) << 8 | (v % 10) << 16) + 0x303030, 3);
}

static inline size_t quick_signed(struct isaglot_out *out, size_t at, uint64_t value)
{
   if (!(value >> 63))
      return quick_unsigned(out, at, value);
   return quick_unsigned(out, quick_text(out, at, "-", 1), 0 - value);
}

/* A quick step that is none: what is printed after this goes on at "at". Its end is the place of the output. */
static inline void slowly(struct isaglot_out *out, size_t at)
{
   out->full = out->full || at > BUFFER;
   out->at = at < BUFFER ? at : BUFFER;
}

static void put_unsigned(struct isaglot_out *out, uint64_t value)
{
   char digits[20];
   size_t at = sizeof(digits);
   do {
      digits[--at] = (char)('0' + (int)(value % 10));
      value /= 10;
   } while (value);
   isaglot_print(out, digits + at, sizeof(digits) - at);
}

static void put_signed(struct isaglot_out *out, uint64_t value)
{
   if (value >> 63) {
      put_char(out, '-');
      value = 0 - value;
   }
   put_unsigned(out, value);
}

static void put_hex(struct isaglot_out *out, uint64_t value, uint32_t digits)
{
   for (uint32_t i = digits; i-- > 0;)
      put_char(out, "0123456789abcdef"[(value >> (4 * i)) & 15]);
}

static void put_short_hex(struct isaglot_out *out, uint64_t value)
{
   uint32_t digits = 1;
   while (digits < 16 && value >> (4 * digits))
      digits++;
   put_hex(out, value, digits);
}

/* A word of "bits" bits: 8 digits for 32 bits, the high ones first. */
static void put_word(struct isaglot_out *out, const word_t *word, uint32_t bits)
{
   for (uint32_t half = (bits + 31) / 32; half-- > 0;) {
      if (half < 2 * LIMBS)
         put_hex(out, (word->limb[half / 2] >> (32 * (half % 2))) & 0xffffffff, 8);
   }
}

static double half_value(uint32_t bits)
{
   uint32_t exponent = bits >> 10 & 31, fraction = bits & 0x3ff;
   double value = (double)fraction / 16777216.0;
   if (exponent != 0) {
      uint64_t wide = (uint64_t)(exponent == 31 ? 2047 : exponent + 1008) << 52 | (uint64_t)fraction << 42;
      memcpy(&value, &wide, sizeof(value));
   }
   return bits >> 15 & 1 ? -value : value;
}

static void put_float(struct isaglot_out *out, uint64_t bits, uint32_t width, bool mesa26)
{
   double value;
   if (width == 16) {
      value = half_value((uint32_t)(bits & 0xffff));
   } else if (width == 32) {
      uint32_t low = (uint32_t)bits;
      float single;
      memcpy(&single, &low, sizeof(single));
      value = (double)single;
   } else {
      memcpy(&value, &bits, sizeof(value));
   }
   bool negative = bits >> ((width ? width : 1) - 1) & 1;
   /* A number that is not itself; and one that stays as large when halved. */
   if (value != value) {
      put_text(out, negative ? "-nan" : "nan");
      return;
   }
   if (value != 0.0 && value * 0.5 == value) {
      put_text(out, negative ? "-inf" : "inf");
      return;
   }
   char text[400];
   bool whole = value >= 9007199254740992.0 || value <= -9007199254740992.0 || (double)(int64_t)value == value;
   int size;
   if (!mesa26)
      size = snprintf(text, sizeof(text), "%f", value);
   else if (whole)
      size = snprintf(text, sizeof(text), "%.1f", value);
   else
      size = snprintf(text, sizeof(text), "%.*g", width == 16 ? 5 : 9, value);
   if (size > 0)
      isaglot_print(out, text, (size_t)size);
}

/* How the value of a field reads, by its type. */

static const struct str *enum_text(const struct isa *isa, uint32_t number, uint64_t value)
{
   struct range range = isa->enums[number];
   for (uint32_t i = range.from; i < range.to; i++) {
      if (isa->values[i].value == value)
         return &isa->values[i].text;
   }
   return NULL;
}

/* Of at most 64 bits. */
static void put_scalar(const struct isa *isa, struct type type, uint32_t width, uint64_t value, bool mesa26,
                       struct isaglot_out *out)
{
   const struct str *text;
   if (width > 64)
      width = 64;
   switch (type.kind) {
   case KIND_INT:
   case KIND_BRANCH:
      put_signed(out, sign_extend(value, width));
      break;
   case KIND_UINT:
      put_unsigned(out, value);
      break;
   case KIND_HEX:
      put_short_hex(out, value);
      break;
   case KIND_OFFSET:
      if (value) {
         value = sign_extend(value, width);
         if (!(value >> 63))
            put_char(out, '+');
         put_signed(out, value);
      }
      break;
   case KIND_UOFFSET:
      if (value) {
         put_char(out, '+');
         put_unsigned(out, value);
      }
      break;
   case KIND_FLOAT:
      put_float(out, value, width, mesa26);
      break;
   case KIND_BOOL:
      put_unsigned(out, value & 0xffffffff);
      break;
   case KIND_BOOL_INV:
      put_unsigned(out, value == 0);
      break;
   case KIND_FLAG:
   case KIND_FLAG_INV:
      if ((value != 0) == (type.kind == KIND_FLAG))
         put_str(out, isa->values[isa->enums[type.arg].from].text);
      break;
   case KIND_ENUM:
   case KIND_REGISTER:
      text = enum_text(isa, type.arg, value);
      if (text)
         put_str(out, *text);
      else
         put_unsigned(out, type.kind == KIND_ENUM ? value & 0xffffffff : value);
      break;
   default:
      break;
   }
}

#if ISAGLOT_MAX_BITS > 64

static bool is_zero(const word_t *value)
{
   for (int i = 0; i < LIMBS; i++) {
      if (value->limb[i])
         return false;
   }
   return true;
}

static void put_wide_unsigned(struct isaglot_out *out, const word_t *value)
{
   char digits[LIMBS * 20];
   size_t at = sizeof(digits);
   word_t rest = *value;
   do {
      uint64_t left = 0;
      for (int i = LIMBS; i-- > 0;) {
         uint64_t high = left << 32 | rest.limb[i] >> 32;
         uint64_t low = (high % 10) << 32 | (rest.limb[i] & 0xffffffff);
         rest.limb[i] = (high / 10) << 32 | low / 10;
         left = low % 10;
      }
      digits[--at] = (char)('0' + (int)left);
   } while (at && !is_zero(&rest));
   isaglot_print(out, digits + at, sizeof(digits) - at);
}

/* With its sign, and a '+' if wanted. */
static void put_wide_signed(struct isaglot_out *out, const word_t *value, uint32_t width, bool plus)
{
   if (!extract(value, width - 1, 1)) {
      if (plus)
         put_char(out, '+');
      put_wide_unsigned(out, value);
      return;
   }
   word_t opposite;
   uint64_t carry = 1;
   for (int i = 0; i < LIMBS; i++) {
      opposite.limb[i] = ~value->limb[i] + carry;
      carry = carry && opposite.limb[i] == 0;
   }
   opposite = slice(&opposite, 0, width);
   put_char(out, '-');
   put_wide_unsigned(out, &opposite);
}

/* Of more than 64 bits: numbers in full, everything else by its low 64 bits. */
static void put_wide(const struct isa *isa, struct type type, uint32_t width, const word_t *value, bool mesa26,
                     struct isaglot_out *out)
{
   int top = LIMBS - 1;
   switch (type.kind) {
   case KIND_INT:
      put_wide_signed(out, value, width, false);
      break;
   case KIND_UINT:
      put_wide_unsigned(out, value);
      break;
   case KIND_HEX:
      while (top > 0 && value->limb[top] == 0)
         top--;
      put_short_hex(out, value->limb[top]);
      while (top-- > 0)
         put_hex(out, value->limb[top], 16);
      break;
   case KIND_OFFSET:
      if (!is_zero(value))
         put_wide_signed(out, value, width, true);
      break;
   case KIND_UOFFSET:
      if (!is_zero(value)) {
         put_char(out, '+');
         put_wide_unsigned(out, value);
      }
      break;
   case KIND_BOOL:
   case KIND_BOOL_INV:
   case KIND_FLAG:
   case KIND_FLAG_INV:
      put_scalar(isa, type, width, !is_zero(value), mesa26, out);
      break;
   default:
      put_scalar(isa, type, width, value->limb[0], mesa26, out);
      break;
   }
}

#endif
