/* Prints instructions as text, one line each. "sz" is in bytes; what is no whole instruction at the end is left out. */
void isaglot_isa_disasm(void *bin, int sz, FILE *out, const struct isa_decode_options *options);

/* The gen that is decoded for. */
uint32_t isaglot_isa_get_gpu_id(struct decode_scope *scope);
