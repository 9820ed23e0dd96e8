/* A header like the one that a driver has already: the same types under the same guard, and a function that is not here. */
#ifndef _ISASPEC_H_
#define _ISASPEC_H_

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "util/bitset.h"

#ifdef __cplusplus
extern "C" {
#endif

struct isa_decode_value {
   const char *str;
   uint64_t num;
};

struct isa_entrypoint {
   const char *name;
   uint32_t offset;
};

struct isa_print_state {
   FILE *out;
   unsigned line_column;
};

void isa_print(struct isa_print_state *state, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

struct isa_decode_options {
   uint32_t gpu_id;
   bool show_errors;
   unsigned max_errors;
   bool branch_labels;
   bool stop;
   void *cbdata;
   void (*field_cb)(void *data, const char *field_name, struct isa_decode_value *val);
   void (*field_print_cb)(struct isa_print_state *print, const char *field_name, uint64_t val);
   void (*pre_instr_cb)(void *data, unsigned n, void *instr);
   void (*post_instr_cb)(void *data, unsigned n, void *instr);
   void (*no_match_cb)(FILE *out, const BITSET_WORD *bitset, size_t size);
   unsigned entrypoint_count;
   const struct isa_entrypoint *entrypoints;
};

#ifdef __cplusplus
}
#endif

#endif

struct decode_scope;
