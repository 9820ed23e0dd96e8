
bool isaglot_isa_decode(void *out, void *bin, const struct isa_decode_options *options)
{
   return unpack_instruction(out, bin, options, NULL);
}
