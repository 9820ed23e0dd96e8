/*
 * What every packer needs: instruction words, and putting a value in its place.
 *
 * What is to happen when a value does not fit its field, or when the data says that it is no leaf of its space, can be
 * defined before this is included.
 */

#define BITMASK_WORDS ((ISA_BITS + 31) / 32)

typedef struct {
   uint32_t bitset[BITMASK_WORDS];
#if ISA_LENGTHS
   /* How many of its bits the instruction has. */
   uint32_t bits;
#endif
} bitmask_t;

/* The gen that the driver packs for. */
#ifndef ISA_GPU_ID
#define ISA_GPU_ID() (s->gen)
#endif

/* A value that does not fit. The bits that do are packed. */
#ifndef ISA_ENCODE_RANGE
#define ISA_ENCODE_RANGE(s, field, value) assert(!"the value does not fit the field")
#endif

/* Data that is no leaf. Zero is packed. */
#ifndef ISA_ENCODE_UNHANDLED
#define ISA_ENCODE_UNHANDLED(s, space, number) \
   ((void)fprintf(stderr, "unhandled %s case: 0x%x\n", (space), (unsigned)(number)))
#endif

static inline uint64_t
bitmask_to_uint64_t(bitmask_t mask)
{
#if ISA_BITS > 32
   return ((uint64_t)mask.bitset[1] << 32) | mask.bitset[0];
#else
   return mask.bitset[0];
#endif
}

static inline bitmask_t
uint64_t_to_bitmask(uint64_t val)
{
   bitmask_t mask = { .bitset = { 0 } };

   mask.bitset[0] = (uint32_t)(val & 0xffffffffu);
#if ISA_LENGTHS
   mask.bits = ISA_BITS;
#endif
#if ISA_BITS > 32
   mask.bitset[1] = (uint32_t)(val >> 32);
#endif
   return mask;
}

static inline void
next_instruction(bitmask_t *instr, const uint32_t *start)
{
   for (unsigned i = 0; i < BITMASK_WORDS; i++)
      instr->bitset[i] = start[i];
}

#if ISA_LENGTHS || ISA_BITS % 32 != 0 || ISA_BIG_ENDIAN

/* Stores the bytes of an instruction; how many they are. */
static inline size_t
store_bytes(void *dst, bitmask_t instr)
{
   uint8_t *to = (uint8_t *)dst;
#if ISA_LENGTHS
   const size_t size = instr.bits / 8;
#else
   const size_t size = ISA_BITS / 8;
#endif

   for (size_t i = 0; i < size; i++) {
      const size_t at = ISA_BIG_ENDIAN ? size - 1 - i : i;

      to[at] = (uint8_t)(instr.bitset[i / 4] >> (8 * (i % 4)) & 0xffu);
   }
   return size;
}

#else

static inline void
store_instruction(uint32_t *dst, bitmask_t instr)
{
   for (unsigned i = 0; i < BITMASK_WORDS; i++)
      dst[i] = instr.bitset[i];
}

#endif

/* Sets the bits of `mask` from `low` on that `val` has. */
static inline void
isa_or_bits(bitmask_t *mask, unsigned low, uint64_t val)
{
   while (val != 0 && low / 32 < BITMASK_WORDS) {
      mask->bitset[low / 32] |= (uint32_t)((val << (low % 32)) & 0xffffffffu);
      val >>= 32 - low % 32;
      low += 32 - low % 32;
   }
}

/* Sets the bits of `mask` from `low` on that `val` has from `from` on, `width` of them. */
static inline void
isa_or_mask(bitmask_t *mask, unsigned low, const bitmask_t *val, unsigned from, unsigned width)
{
   for (unsigned i = 0; i < width && (from + i) / 32 < BITMASK_WORDS; i++) {
      const unsigned bit = (val->bitset[(from + i) / 32] >> ((from + i) % 32)) & 1u;

      isa_or_bits(mask, low + i, bit);
   }
}

/* Whether a value fits `width` bits; a negative one, where that is asked for, in two's complement. */
static inline bool
isa_fits(int64_t val, unsigned width, bool is_signed)
{
   const uint64_t above = width >= 64 ? 0 : ~UINT64_C(0) << width;

   if (((uint64_t)val & above) == 0)
      return true;
   return is_signed && (~(uint64_t)val & above) == 0;
}

/* Whether the bits that `care` has are as in `value`. */
static inline bool
isa_matches(const bitmask_t *val, const uint32_t *care, const uint32_t *value)
{
   uint32_t differ = 0;

   for (unsigned i = 0; i < BITMASK_WORDS; i++)
      differ |= (val->bitset[i] & care[i]) ^ value[i];
   return differ == 0;
}

static inline bool
isa_mask_fits(const bitmask_t *val, unsigned width)
{
   for (unsigned i = width; i < ISA_BITS; i++) {
      if ((val->bitset[i / 32] >> (i % 32)) & 1u)
         return false;
   }
   return true;
}

static inline uint64_t
isa_low_bits(int64_t val, unsigned from, unsigned width)
{
   const uint64_t shifted = (uint64_t)val >> from;

   return width >= 64 ? shifted : shifted & ~(~UINT64_C(0) << width);
}

/* Puts a number into `width` bits from `low` on. */
static inline void
isa_pack(struct encode_state *s, bitmask_t *mask, unsigned low, unsigned width, bool is_signed, int64_t val,
         const char *field)
{
   (void)s;
   (void)field;
   if (!isa_fits(val, width, is_signed))
      ISA_ENCODE_RANGE(s, field, val);
   isa_or_bits(mask, low, isa_low_bits(val, 0, width));
}

/* Puts what a nested encoding gave into `width` bits from `low` on. */
static inline void
isa_pack_nested(struct encode_state *s, bitmask_t *mask, unsigned low, unsigned width, bitmask_t val, const char *field)
{
   (void)s;
   (void)field;
   if (!isa_mask_fits(&val, width))
      ISA_ENCODE_RANGE(s, field, bitmask_to_uint64_t(val));
   isa_or_mask(mask, low, &val, 0, width);
}

/* Division that is total: by zero it gives 0, and the smallest number divided by -1 wraps. */
static inline uint64_t
isa_udiv(uint64_t x, uint64_t y)
{
   return y == 0 ? 0 : x / y;
}

static inline uint64_t
isa_urem(uint64_t x, uint64_t y)
{
   return y == 0 ? 0 : x % y;
}

static inline uint64_t
isa_sdiv(uint64_t x, uint64_t y)
{
   if (y == 0)
      return 0;
   return y == ~UINT64_C(0) ? 0 - x : (uint64_t)((int64_t)x / (int64_t)y);
}

static inline uint64_t
isa_srem(uint64_t x, uint64_t y)
{
   return y == 0 || y == ~UINT64_C(0) ? 0 : (uint64_t)((int64_t)x % (int64_t)y);
}
