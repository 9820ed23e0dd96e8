
/* Unpacks the instruction at "bin" to what "out" points to. False if it is none, or, with "show_errors", if something is
 * wrong with it. Comes with isaglot-decode.h, which one file of the driver includes. */
bool isaglot_isa_decode(void *out, void *bin, const struct isa_decode_options *options);
@PLUG@
/* For isaglot-decode.h alone. */
bool isaglot_isa_unpack(void *out, void *bin, const struct isa_decode_options *options,
                        const struct isaglot_isa_unpacker *unpacker);

/* For a field that is nested in what "scope" is about: unpacks its value to what "out" points to. */
void isaglot_isa_unpack_nested(void *out, struct decode_scope *scope);
