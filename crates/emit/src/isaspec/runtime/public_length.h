
/* How many bytes the instruction at the beginning of "size" bytes has; 0 if there is no whole one. */
size_t isaglot_isa_length(const void *bin, size_t size);
