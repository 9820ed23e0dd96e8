
/* Whether there is an instruction at "bin", and, with "show_errors", nothing wrong with it. "out" is not looked at: the
 * description asks for no unpackers. */
bool isaglot_isa_decode(void *out, void *bin, const struct isa_decode_options *options);
