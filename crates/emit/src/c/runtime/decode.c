/* Bits of words. */

static inline uint64_t mask_of(uint32_t width)
{
   return width >= 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
}

static inline uint64_t limb_of(const word_t *word, uint32_t at)
{
   return at < LIMBS ? word->limb[at] : 0;
}

/* "width" bits (at most 64) from "lo" on; bits beyond the word are 0. */
static inline uint64_t extract(const word_t *word, uint32_t lo, uint32_t width)
{
   uint32_t at = lo / 64, shift = lo % 64;
   uint64_t value = limb_of(word, at) >> shift;
   if (shift != 0)
      value |= limb_of(word, at + 1) << (64 - shift);
   return value & mask_of(width);
}

static void insert(word_t *word, uint32_t lo, uint32_t width, uint64_t value)
{
   uint32_t at = lo / 64, shift = lo % 64;
   uint64_t mask = mask_of(width);
   if (at < LIMBS)
      word->limb[at] = (word->limb[at] & ~(mask << shift)) | (value & mask) << shift;
   if (shift != 0 && at + 1 < LIMBS)
      word->limb[at + 1] = (word->limb[at + 1] & ~(mask >> (64 - shift))) | (value & mask) >> (64 - shift);
}

static word_t slice(const word_t *word, uint32_t lo, uint32_t width)
{
   word_t out;
   for (uint32_t i = 0; i < LIMBS; i++) {
      uint32_t left = width > 64 * i ? width - 64 * i : 0;
      out.limb[i] = extract(word, lo + 64 * i, left < 64 ? left : 64);
   }
   return out;
}

static inline uint64_t sign_extend(uint64_t value, uint32_t width)
{
   if (width == 0 || width >= 64)
      return value;
   uint64_t sign = UINT64_C(1) << (width - 1);
   return ((value & mask_of(width)) ^ sign) - sign;
}

/* Which encoding of a space a value is. */

enum match {
   MATCH_NONE,
   MATCH_ONE,
   MATCH_CONFLICT
};

static inline const uint64_t *pattern_of(const struct isa *isa, uint32_t leaf, uint32_t set)
{
   return isa->limbs + isa->leaves[leaf].pattern + (size_t)set * LIMBS;
}

/* Whether a word has the bits of a pattern. */
static inline bool fits(const uint64_t *care, const word_t *word)
{
   uint64_t differ = 0;
   for (int i = 0; i < LIMBS; i++)
      differ |= (word->limb[i] & care[i]) ^ care[LIMBS + i];
   return differ == 0;
}

static inline bool matches(const struct isa *isa, uint32_t leaf, const word_t *word, uint32_t width)
{
   /* Where instructions differ in width, a match is as wide as the instruction. */
   if (isa->length_count && isa->leaves[leaf].width != width)
      return false;
   if (!fits(pattern_of(isa, leaf, 0), word))
      return false;
   struct range except = isa->leaves[leaf].except;
   for (uint32_t i = except.from; i < except.to; i++) {
      if (fits(isa->limbs + isa->excepts[i], word))
         return false;
   }
   return true;
}

/* Gives the encodings that match in "leaf": one, or the first two. */
static inline enum match decide(const struct isa *isa, uint32_t number, const word_t *word, uint32_t width,
                                uint32_t leaf[2])
{
   const struct space *space = &isa->spaces[number];
   uint32_t at = space->root;
   while (!(at & (LIST | ONE))) {
      const struct node *node = &isa->tree[at];
      at = isa->entries[node->base + ((uint32_t)(word->limb[node->limb] >> node->shift) & node->mask)];
   }
   if (at & ONE) {
      leaf[0] = at & ~ONE;
      return matches(isa, leaf[0], word, width) ? MATCH_ONE : MATCH_NONE;
   }
   struct range list = isa->lists[at & ~LIST];
   int found = 0;
   for (uint32_t i = list.from; i < list.to; i++) {
      if (!matches(isa, isa->listed[i], word, width))
         continue;
      leaf[found++] = isa->listed[i];
      if (found == 2)
         return MATCH_CONFLICT;
      if (space->first_wins)
         break;
   }
   return found ? MATCH_ONE : MATCH_NONE;
}

static inline bool has_dont_care(const struct isa *isa, uint32_t leaf, const word_t *word)
{
   if (!isa->leaves[leaf].dont_care)
      return false;
   const uint64_t *set = pattern_of(isa, leaf, 2);
   for (int i = 0; i < LIMBS; i++) {
      if (set[i] & word->limb[i])
         return true;
   }
   return false;
}

static inline word_t load(const unsigned char *bytes, size_t size, bool little)
{
   word_t word = {{0}};
   for (size_t i = 0; i < size; i++) {
      size_t from = little ? i : size - 1 - i;
      word.limb[i / 8] |= (uint64_t)bytes[from] << (8 * (i % 8));
   }
   return word;
}

/* The same for the usual sizes: compilers make one load of it. */
static inline uint64_t load32(const unsigned char *b)
{
   return (uint64_t)b[0] | (uint64_t)b[1] << 8 | (uint64_t)b[2] << 16 | (uint64_t)b[3] << 24;
}

static inline uint64_t load64(const unsigned char *b)
{
   return (uint64_t)b[0] | (uint64_t)b[1] << 8 | (uint64_t)b[2] << 16 | (uint64_t)b[3] << 24 | (uint64_t)b[4] << 32 |
          (uint64_t)b[5] << 40 | (uint64_t)b[6] << 48 | (uint64_t)b[7] << 56;
}

/* Takes an instruction from a stream; 0 if there is no whole one. */
static inline size_t fetch(const struct isa *isa, const unsigned char *bytes, size_t size, word_t *word, uint32_t *bits,
                           bool *known)
{
   *bits = isa->max_bits;
   *known = true;
   if (isa->length_count) {
      if (size < isa->parcel_bits / 8)
         return 0;
      uint64_t parcel = load(bytes, isa->parcel_bits / 8, isa->little).limb[0];
      *known = false;
      *bits = isa->parcel_bits;
      for (uint32_t i = 0; i < isa->length_count && !*known; i++) {
         if ((parcel & isa->lengths[i].care) == isa->lengths[i].value) {
            *bits = isa->lengths[i].bits;
            *known = true;
         }
      }
   }
   size_t taken = *bits / 8;
   if (size < taken)
      return 0;
   if (!isa->little || (taken != 4 && taken != 8 && (taken != 16 || LIMBS < 2))) {
      *word = load(bytes, taken, isa->little);
      return taken;
   }
   *word = (word_t){{0}};
   word->limb[0] = taken == 4 ? load32(bytes) : load64(bytes);
#if ISAGLOT_MAX_BITS > 64
   if (taken == 16)
      word->limb[1] = load64(bytes + 8);
#endif
   return taken;
}
