
size_t isaglot_isa_length(const void *bin, size_t size)
{
   /* Lengths are the same for all gens. */
   const struct isa *isa = variant_for(0)->isa;
   word_t word;
   uint32_t bits;
   bool known;
   size_t taken = fetch(isa, bin, size, &word, &bits, &known);

   return known ? taken : 0;
}
