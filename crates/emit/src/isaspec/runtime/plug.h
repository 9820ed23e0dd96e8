
/* How isaglot-decode.h takes part: it is told of every leaf, and of every field that the leaf's text shows. */
struct isaglot_isa_unpacker {
   void (*leaf)(void *out, struct decode_scope *scope, unsigned leaf);
   void (*field)(void *out, struct decode_scope *scope, unsigned leaf, unsigned field, uint64_t val);
};
