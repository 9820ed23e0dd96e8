/* What every generated codec offers. "isaglot" stands for the prefix of the generated one. */
#ifndef ISAGLOT_H
#define ISAGLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*@CONSTANTS*/

/* No encoding, no field. */
#define ISAGLOT_NONE UINT32_MAX

/* A word in 64-bit limbs, the least significant first; bit 0 is the least significant bit. */
struct isaglot_word {
   uint64_t limb[ISAGLOT_LIMBS];
};

/* An instruction: its bits, how many they are, and which encoding they match. */
struct isaglot_instruction {
   struct isaglot_word word;
   uint32_t bits;
   uint32_t leaf;
};

/* Takes the first instruction of some bytes. Gives its size in bytes; 0 if there is no whole one. Where the length of
 * an instruction is not known, one unit is taken and "leaf" is ISAGLOT_NONE, as it is for a word that is none. */
size_t isaglot_fetch(const void *bytes, size_t size, struct isaglot_instruction *out);

/* Decides a word. False if it is invalid, or two encodings match. */
bool isaglot_decode(struct isaglot_word word, struct isaglot_instruction *out);

/* The name of an encoding in the description, and its mnemonic. */
const char *isaglot_name(uint32_t leaf);
const char *isaglot_mnemonic(uint32_t leaf);

/* The name of a field. */
const char *isaglot_field_name(uint32_t name);

/* Where text goes. */
struct isaglot_out;
typedef void (*isaglot_sink)(void *data, const char *text, size_t size);

/* Appends text: for callbacks. */
void isaglot_print(struct isaglot_out *out, const char *text, size_t size);

/* Hands on what was printed so far. Not from "custom", unless "custom_alone" is set. */
void isaglot_flush(struct isaglot_out *out);

/* The value of a field as a callback sees it: a text for the mnemonic, else a number. */
struct isaglot_value {
   const char *text;
   struct isaglot_word number;
};

/* A name for a place: an instruction number, or a byte offset where instructions differ in length. */
struct isaglot_entry {
   const char *name;
   uint64_t offset;
};

/* How a stream is printed. All zero is a good start. */
struct isaglot_options {
   /* Do not show what is wrong with a word at the end of its line. */
   bool hide_errors;
   /* Floating-point numbers as Mesa 26 prints them. */
   bool mesa26;
   /* Never take the quick way: callbacks are then called exactly once for everything that is printed. */
   bool exact;
   /* Call "custom" once for each field, when its line is decided: it may then use isaglot_flush. */
   bool custom_alone;
   /* Stop after an instruction when this becomes true. */
   const bool *stop;
   /* Stop before an instruction that more than this many bad ones in a row precede; 0 for never. */
   uint64_t max_errors;
   /* Named places, sorted by offset and then by name. They need labels. */
   const struct isaglot_entry *entries;
   size_t entry_count;
   /* What callbacks are given. */
   void *data;
   /* Before a field is padded and printed; "reference" is as written in the template. Implies "exact". */
   void (*field)(void *data, struct isaglot_out *out, const char *reference, const struct isaglot_value *value);
   /* Prints a field of type custom. */
   void (*custom)(void *data, struct isaglot_out *out, const char *reference, uint64_t value);
   /* Before each line of an instruction, those of its labels included. */
   void (*before)(void *data, struct isaglot_out *out, uint64_t position, const struct isaglot_word *word,
                  uint32_t bits);
   /* At the end of an instruction's line. */
   void (*after)(void *data, struct isaglot_out *out, uint64_t position, const struct isaglot_word *word,
                 uint32_t bits);
   /* The whole line, with its end, for an invalid word. */
   void (*no_match)(void *data, struct isaglot_out *out, const struct isaglot_word *word, uint32_t bits);
};

/* Room for labels: one bit for each place, all 0 at first. See isaglot_label_limbs. "starts" is for where instructions
 * start; it may be NULL where all have one length. */
struct isaglot_labels {
   uint64_t *branches;
   uint64_t *calls;
   uint64_t places;
   uint64_t *starts;
};

/* How many limbs each set of labels needs for a stream of so many bytes; the number of places. */
size_t isaglot_label_limbs(size_t size);
uint64_t isaglot_places(size_t size);

/* Prints a stream as lines of text. Labels are printed if "labels" is not NULL. Allocates nothing. */
void isaglot_disassemble(const void *bytes, size_t size, const struct isaglot_options *options,
                         const struct isaglot_labels *labels, isaglot_sink sink, void *sink_data);

/* Writes the text of one instruction, ended by 0, to a buffer, as much as fits. Gives the length of the whole text; 0
 * if the word is invalid. */
size_t isaglot_text(struct isaglot_word word, uint32_t bits, char *buffer, size_t size);

/*@MORE*/

#ifdef __cplusplus
}
#endif

#endif
