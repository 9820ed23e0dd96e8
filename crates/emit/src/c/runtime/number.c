/* Numbers in text, as the disassembler writes them. */

struct reading {
   size_t size;
   uint64_t value;
   /* It can be; and there may be further ways. */
   bool fits, more;
};

struct span {
   const char *text;
   size_t size;
};

static struct span after(struct span text, size_t at)
{
   if (at > text.size)
      at = text.size;
   return (struct span){text.text + at, text.size - at};
}

static bool begins(struct span text, const char *with, size_t size)
{
   return text.size >= size && memcmp(text.text, with, size) == 0;
}

static int digit_of(char c, uint32_t base)
{
   if (c >= '0' && c <= '9')
      return c - '0';
   return base == 16 && c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Digits without leading zeros, "fewer" than there are. */
static bool read_digits(struct span text, uint32_t base, size_t fewer, struct reading *out)
{
   size_t all = 0;
   while (all < text.size && digit_of(text.text[all], base) >= 0)
      all++;
   if (all > 1 && text.text[0] == '0')
      all = 1;
   if (all <= fewer)
      return false;
   out->size = all - fewer;
   out->more = out->size > 1;
   out->fits = true;
   out->value = 0;
   for (size_t i = 0; i < out->size; i++) {
      uint64_t digit = (uint64_t)digit_of(text.text[i], base);
      out->fits = out->fits && out->value <= (UINT64_MAX - digit) / base;
      out->value = out->value * base + digit;
   }
   return true;
}

/* The IEEE 754 half nearest to a number that is not negative, ties to even. */
static uint32_t half_of(double value)
{
   uint64_t bits;
   memcpy(&bits, &value, sizeof(bits));
   int exponent = (int)(bits >> 52) - 1023;
   if (value >= 65520.0)
      return 0x7c00;
   if (exponent < -25)
      return 0;
   uint64_t fraction = (bits & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1) << 52;
   uint32_t cut = exponent < -14 ? (uint32_t)(28 - exponent) : 42;
   uint64_t kept = fraction >> cut, rest = fraction & ((UINT64_C(1) << cut) - 1), middle = UINT64_C(1) << (cut - 1);
   if (rest > middle || (rest == middle && (kept & 1)))
      kept++;
   return (uint32_t)kept + (exponent < -14 ? 0 : (uint32_t)(exponent + 14) << 10);
}

/* A floating-point number: the nearest, and its neighbours where the low bits are cut off. */
static bool read_float(struct span text, uint32_t width, size_t way, struct reading *out)
{
   size_t sign = text.size && text.text[0] == '-';
   struct span rest = after(text, sign);
   uint64_t high = (uint64_t)sign << ((width ? width : 1) - 1);
   uint64_t infinity = width == 16 ? 0x7c00 : width == 32 ? 0x7f800000 : UINT64_C(0x7ff0000000000000);
   uint64_t quiet = width == 16 ? 0x200 : width == 32 ? 0x400000 : UINT64_C(1) << 51;
   *out = (struct reading){sign + 3, high | infinity, true, false};
   if (begins(rest, "nan", 3)) {
      out->value |= quiet;
      return way == 0;
   }
   if (begins(rest, "inf", 3))
      return way == 0;
   size_t size = 0;
   bool whole = true;
   while (size < rest.size && digit_of(rest.text[size], 10) >= 0)
      size++;
   if (!size)
      return false;
   if (size < rest.size && rest.text[size] == '.') {
      whole = false;
      size++;
      while (size < rest.size && digit_of(rest.text[size], 10) >= 0)
         size++;
   }
   if (size + 1 < rest.size && rest.text[size] == 'e') {
      size_t end = size + 1 + (rest.text[size + 1] == '-' || rest.text[size + 1] == '+'), from = end;
      while (end < rest.size && digit_of(rest.text[end], 10) >= 0)
         end++;
      if (end > from) {
         whole = false;
         size = end;
      }
   }
   /* A float is never written as an integer. */
   char copy[400];
   if (whole || size >= sizeof(copy) || way > 2 || (way > 0 && width != 32))
      return false;
   memcpy(copy, rest.text, size);
   copy[size] = 0;
   uint64_t nearest;
   if (width == 16) {
      nearest = half_of(strtod(copy, NULL));
   } else if (width == 32) {
      float single = strtof(copy, NULL);
      uint32_t low;
      memcpy(&low, &single, sizeof(low));
      nearest = low;
   } else {
      double value = strtod(copy, NULL);
      memcpy(&nearest, &value, sizeof(nearest));
   }
   out->fits = nearest != infinity;
   if (way)
      nearest = (nearest & ~UINT64_C(0xfff)) + (way == 2 ? 0x1000 : 0);
   out->size = sign + size;
   out->value = high | nearest;
   out->more = width == 32 && way < 2;
   return true;
}

/* The first entry of a range with a value; NONE if there is none. */
static uint32_t enum_index(const struct isa *isa, struct range range, uint64_t value)
{
   for (uint32_t i = range.from; i < range.to; i++) {
      if (isa->values[i].value == value)
         return i;
   }
   return NONE;
}

static uint32_t ones_of(uint64_t value)
{
   uint32_t count = 0;
   for (; value; value &= value - 1)
      count++;
   return count;
}

/* The texts of an enum that the text begins with, longest first, of equal ones those with fewer ones; then numbers that
 * are none of its values. */
static bool read_named(const struct isa *isa, struct range range, struct span text, size_t way, struct reading *out)
{
   size_t count = 0;
   for (uint32_t i = range.from; i < range.to; i++) {
      const struct value *entry = &isa->values[i];
      if (!begins(text, entry->text.text, entry->text.size) || enum_index(isa, range, entry->value) != i)
         continue;
      count++;
      size_t rank = 0;
      for (uint32_t j = range.from; j < range.to; j++) {
         const struct value *other = &isa->values[j];
         if (!begins(text, other->text.text, other->text.size) || enum_index(isa, range, other->value) != j)
            continue;
         uint32_t a = ones_of(other->value), b = ones_of(entry->value);
         bool longer = other->text.size > entry->text.size;
         bool same = other->text.size == entry->text.size;
         rank += longer || (same && (a < b || (a == b && j < i)));
      }
      if (rank == way) {
         *out = (struct reading){entry->text.size, entry->value, true, true};
         return true;
      }
   }
   if (way < count || !read_digits(text, 10, way - count, out))
      return false;
   out->fits = out->fits && enum_index(isa, range, out->value) == NONE;
   return true;
}

/* The way number "way" to read a value of a type; the longest comes first. False if there is none. */
static bool read_number(const struct isa *isa, const struct way *how, struct span text, size_t way,
                        struct reading *out)
{
   struct type type = how->type;
   uint32_t width = how->width < 64 ? how->width : 64;
   size_t sign;
   const struct str *flag;
   switch (type.kind) {
   case KIND_INT:
   case KIND_BRANCH:
      sign = text.size && text.text[0] == '-';
      if (!read_digits(after(text, sign), 10, way, out))
         return false;
      out->size += sign;
      if (sign)
         out->value = 0 - out->value;
      out->fits = out->fits && sign_extend(out->value & mask_of(width), width) == out->value;
      out->value &= mask_of(width);
      return true;
   case KIND_UINT:
   case KIND_BOOL:
      return read_digits(text, 10, way, out);
   case KIND_HEX:
      return read_digits(text, 16, way, out);
   case KIND_OFFSET:
   case KIND_UOFFSET:
      sign = text.size && (text.text[0] == '+' || (text.text[0] == '-' && type.kind == KIND_OFFSET));
      if (!sign || !read_digits(after(text, 1), 10, way, out)) {
         /* Perhaps there is no offset at all. */
         *out = (struct reading){0, 0, true, false};
         return sign ? way > 0 && read_digits(after(text, 1), 10, way - 1, &(struct reading){0}) : way == 0;
      }
      out->size += 1;
      out->more = true;
      if (text.text[0] == '-')
         out->value = 0 - out->value;
      if (type.kind == KIND_OFFSET)
         out->value &= mask_of(width);
      return true;
   case KIND_FLOAT:
      return read_float(text, width, way, out);
   case KIND_BOOL_INV:
      *out = (struct reading){1, text.size && text.text[0] == '0', true, false};
      return way == 0 && text.size && (text.text[0] == '0' || text.text[0] == '1');
   case KIND_FLAG:
   case KIND_FLAG_INV:
      flag = &isa->values[isa->enums[type.arg].from].text;
      *out = (struct reading){flag->size, type.kind == KIND_FLAG, true, true};
      if (way == 0 && begins(text, flag->text, flag->size))
         return true;
      *out = (struct reading){0, type.kind != KIND_FLAG, true, way == 0};
      return way < 2;
   case KIND_ENUM:
   case KIND_REGISTER:
      return read_named(isa, isa->enums[type.arg], text, way, out);
   default:
      return false;
   }
}
