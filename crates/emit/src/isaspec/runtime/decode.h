/*
 * The driver provides the types and the functions that make new data, SPACE_create(NAME); the maps of the description,
 * which see "src" and "scope", are assigned to.
 */

/* The value as signed of so many bits. */
static inline int64_t
isaglot_unpack_signed(uint64_t val, unsigned width)
{
   const uint64_t sign = UINT64_C(1) << (width > 64 || width == 0 ? 63 : width - 1);

   return (int64_t)((val ^ sign) - sign);
}

