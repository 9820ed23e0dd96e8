
bool isaglot_isa_unpack(void *out, void *bin, const struct isa_decode_options *options,
                        const struct isaglot_isa_unpacker *unpacker)
{
   return unpack_instruction(out, bin, options, unpacker);
}

void isaglot_isa_unpack_nested(void *out, struct decode_scope *scope)
{
   struct scopes *s = scope->scopes;
   const struct found *found = scope->found;
   uint32_t leaf;

   if (!found || found->field->type.kind != KIND_SUB)
      return;
   leaf = scope_decide(s, found->field->type.arg, &found->value, found->field->width);
   if (leaf == NONE || !scope_push(s, leaf, &found->value, scope->inside, found->field->params))
      return;
   unpack(out, scope);
   scope->found = NULL;
   s->open--;
}
