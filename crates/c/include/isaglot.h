/* The C library of Isaglot: one description of an instruction set in; every tool that people need out.
 *
 * Rules that hold for all functions:
 *
 * - Objects are opaque. What a function gives as a pointer without `const`, the caller owns and frees with the function of that name,
 *   `isaglot_…_free`; nothing else frees it. An `isaglot_str`, and a pointer to `const`, belongs to the object that it was asked of and
 *   is valid until that is freed.
 * - A call that can fail returns NULL, 0 or false then, and what is wrong through its last argument `problems`: a list, which the
 *   caller frees. After a success that is NULL. `problems` itself may be NULL: then only the failure is known.
 * - A pointer that is an argument is NULL or valid during the call. NULL in place of an object is an error with the code `c-null`
 *   where a call can fail; elsewhere it gives 0, the empty text, or nothing to free.
 * - A text that is an argument has a length in bytes; ISAGLOT_NUL says that it ends with NUL.
 * - There is no global state. An object that is passed as `const` may be used by several threads at once; any other by one thread at
 *   a time.
 * - No panic and no exception leaves the library. The caller's functions must not throw, nor leave by `longjmp`.
 */


#ifndef ISAGLOT_H
#define ISAGLOT_H

/* Written from the Rust sources by `BLESS=1 cargo test -p isaglot-c`: change those. */

#include <stddef.h>
#include <stdint.h>

/* The length of a text that ends with NUL. */
#define ISAGLOT_NUL SIZE_MAX


// Assemble: ids that are numbers keep their numbers.
#define ISAGLOT_SPIRV_PRESERVE_NUMERIC_IDS 1

// Assemble: read also what the published syntax page has and SPIRV-Tools refuses.
#define ISAGLOT_SPIRV_DOCUMENTED 2

// Disassemble: ids as numbers, not as names.
#define ISAGLOT_SPIRV_RAW_ID 1

// Disassemble: results are not aligned.
#define ISAGLOT_SPIRV_NO_INDENT 2

// Disassemble: no header comment.
#define ISAGLOT_SPIRV_NO_HEADER 4

// Disassemble: the byte offset of each instruction as a comment.
#define ISAGLOT_SPIRV_OFFSETS 8

// Disassemble: comments on sections, functions and decorated results.
#define ISAGLOT_SPIRV_COMMENT 16

// Disassemble: blocks are indented by their nesting.
#define ISAGLOT_SPIRV_NESTED_INDENT 32

// Disassemble: blocks in the order of control flow.
#define ISAGLOT_SPIRV_REORDER_BLOCKS 64

// How bad a problem is.
typedef enum {
    // For your information.
    ISAGLOT_NOTE = 0,
    // Odd, but accepted.
    ISAGLOT_WARNING = 1,
    // The input cannot be used.
    ISAGLOT_ERROR = 2,
} isaglot_severity;

// Bytes that the caller owns: a program, a text or JSON. A NUL that is not counted follows them.
typedef struct isaglot_buffer isaglot_buffer;

// Where an `isaglot_read` puts a file.
typedef struct isaglot_input isaglot_input;

// The line that is being printed, for a function of the caller that adds to it with `isaglot_output_write`.
typedef struct isaglot_output isaglot_output;

// How a program is printed. Its functions are called by every thread that prints with it.
typedef struct isaglot_print isaglot_print;

// A list of problems, in the order in which they were found. Nothing changes it, so several threads may read it.
typedef struct isaglot_problems isaglot_problems;

// Before a field is printed. `reference` is the field as it is written between the braces of a template, `length` bytes without a
// NUL. `value` is its raw value, little-endian, of `width` bits; of a `{NAME}` it is the mnemonic, and `width` is 0: `value` has
// `value_length` bytes then as always.
typedef void (*isaglot_on_field)(void *user,
                                 const char *reference,
                                 size_t length,
                                 const uint8_t *value,
                                 size_t value_length,
                                 uint32_t width,
                                 isaglot_output *output);

// Prints a field of type `custom`: `reference` as for an `isaglot_on_field`, and its value.
typedef void (*isaglot_on_custom)(void *user,
                                  const char *reference,
                                  size_t length,
                                  uint64_t value,
                                  isaglot_output *output);

// A word, before or after its line, or one that is not a valid instruction, whose whole line with its end the function writes then.
// `position` counts instructions, or bytes where instructions differ in length; 0 for a word that is not valid. `word` is
// little-endian, of `width` bits, in `length` bytes.
typedef void (*isaglot_on_word)(void *user,
                                uint64_t position,
                                const uint8_t *word,
                                size_t length,
                                uint32_t width,
                                isaglot_output *output);

// A text of an object of the library: `len` bytes at `data`, and after them a NUL that is not counted. It is valid until the object
// is freed. `data` is never NULL. A text is UTF-8, unless a file that it comes from is not.
typedef struct {
    // The first byte.
    const char *data;
    // How many bytes there are before the NUL.
    size_t len;
} isaglot_str;

// Gives a file that a description needs: calls `isaglot_input_give` with its bytes or `isaglot_input_fail` with the reason why
// there are none; doing neither means that there is no such file. `name` is the name of the file as the description has it, after the
// folder of the file that asks for it. It may be called on another thread, while the call that it was given to waits; never by two
// threads at once.
typedef void (*isaglot_read)(void *user, const char *name, isaglot_input *into);

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// The version of the library, such as `0.1.0`.
const char *isaglot_version(void);

// The first of the bytes, which a NUL follows; NULL for NULL.
const uint8_t *isaglot_buffer_data(const isaglot_buffer *buffer);

// How many bytes there are, without the NUL; 0 for NULL.
size_t isaglot_buffer_length(const isaglot_buffer *buffer);

// Frees the bytes; NULL is allowed.
void isaglot_buffer_free(isaglot_buffer *buffer);

// Gives the bytes of a file, from within an `isaglot_read`; they are copied. `length` may be `ISAGLOT_NUL` for a text.
void isaglot_input_give(isaglot_input *input,
                        const char *data,
                        size_t length);

// Says why there is no such file, from within an `isaglot_read`.
void isaglot_input_fail(isaglot_input *input, const char *reason);

// Prints as `isaglot disasm` does: what is wrong with an instruction stands after it, and there are no labels.
isaglot_print *isaglot_print_new(void);

// Frees it; NULL is allowed.
void isaglot_print_free(isaglot_print *print);

// Whether places that branches go to have labels, and branches name them. Intel Xe always has them.
void isaglot_print_labels(isaglot_print *print, int on);

// Whether what is wrong with an instruction stands after it.
void isaglot_print_errors(isaglot_print *print, int on);

// Ends the text before an instruction that more than `most` bad ones in a row precede; 0 for never.
void isaglot_print_max_errors(isaglot_print *print, uint64_t most);

// Names a place, by instruction number, or by byte offset where instructions differ in length; asks for labels. The name is made of
// letters, digits, `_`, `.`, `$` and `@`, and does not begin with a digit.
void isaglot_print_entry(isaglot_print *print,
                         uint64_t offset,
                         const char *name);

// Calls a function before each field of an instruction is printed; NULL for none. Printing is slower then.
void isaglot_print_on_field(isaglot_print *print, isaglot_on_field function, void *user);

// Calls a function that prints fields of type `custom`; NULL for none: then they print nothing.
void isaglot_print_on_custom(isaglot_print *print, isaglot_on_custom function, void *user);

// Calls a function before each line of an instruction, those of its labels included; NULL for none.
void isaglot_print_before(isaglot_print *print, isaglot_on_word function, void *user);

// Calls a function at the end of an instruction's line; NULL for none.
void isaglot_print_after(isaglot_print *print, isaglot_on_word function, void *user);

// Calls a function that writes the whole line for a word that is not a valid instruction; NULL for `no match: …`.
void isaglot_print_no_match(isaglot_print *print,
                            isaglot_on_word function,
                            void *user);

// Adds to the line that is being printed, from within a function that takes part.
void isaglot_output_write(isaglot_output *output, const char *data, size_t length);

// How many problems there are.
size_t isaglot_problems_count(const isaglot_problems *problems);

// How many more there were than are kept.
size_t isaglot_problems_dropped(const isaglot_problems *problems);

// How bad a problem is.
isaglot_severity isaglot_problem_severity(const isaglot_problems *problems, size_t index);

// The code of a problem, such as `isaspec-field-overlap`: it never changes its meaning. Those of this library itself are
// `c-null` (an argument is NULL), `c-length`, `c-utf8`, `c-value` (an argument is not allowed), `c-stopped` (a function of the
// caller ended the call) and `c-panic` (a mistake of the library).
isaglot_str isaglot_problem_code(const isaglot_problems *problems,
                                 size_t index);

// What is wrong: one sentence without a full stop.
isaglot_str isaglot_problem_message(const isaglot_problems *problems, size_t index);

// The file that a problem is in, as it was named; empty if it is in none.
isaglot_str isaglot_problem_file(const isaglot_problems *problems, size_t index);

// The line, from 1; 0 if a problem is not in a file.
uint32_t isaglot_problem_line(const isaglot_problems *problems, size_t index);

// The column in characters, from 1; 0 if a problem is not in a file.
uint32_t isaglot_problem_column(const isaglot_problems *problems, size_t index);

// Where the place begins in the file, in bytes from 0.
uint64_t isaglot_problem_offset(const isaglot_problems *problems, size_t index);

// How many bytes the place has.
uint64_t isaglot_problem_length(const isaglot_problems *problems, size_t index);

// How many further sentences there are: what was expected, what to do.
size_t isaglot_problem_note_count(const isaglot_problems *problems, size_t index);

// One of the further sentences.
isaglot_str isaglot_problem_note(const isaglot_problems *problems, size_t index, size_t note);

// A problem as the program `isaglot` prints it: with its place, the lines of the file, and its notes.
isaglot_str isaglot_problem_text(const isaglot_problems *problems, size_t index);

// All problems as the program `isaglot` prints them.
isaglot_str isaglot_problems_text(const isaglot_problems *problems);

// All problems as a JSON array, with all their places.
isaglot_str isaglot_problems_json(const isaglot_problems *problems);

// Frees the problems; NULL is allowed.
void isaglot_problems_free(isaglot_problems *problems);

// Assembles a SPIR-V module. The words of the result are little-endian. `minor` is the minor number of the version 1.n, from 0;
// -1 takes it from the leading comments of the text, or else the newest. `flags` are `ISAGLOT_SPIRV_PRESERVE_NUMERIC_IDS` and
// `ISAGLOT_SPIRV_DOCUMENTED`. All problems are reported, not the first alone.
isaglot_buffer *isaglot_spirv_assemble(const char *text,
                                       size_t length,
                                       int32_t minor,
                                       uint32_t flags,
                                       isaglot_problems **problems);

// Disassembles a SPIR-V module of either byte order. `flags` are those of `ISAGLOT_SPIRV_…` that are for disassembly.
isaglot_buffer *isaglot_spirv_disassemble(const uint8_t *data,
                                          size_t length,
                                          uint32_t flags,
                                          isaglot_problems **problems);

// The records of a TableGen file, as the JSON that `llvm-tblgen --dump-json` writes. Files that it includes are looked for in the
// `include_count` folders `include`.
isaglot_buffer *isaglot_tablegen_json(const char *path,
                                      const char *const *include,
                                      size_t include_count,
                                      isaglot_problems **problems);

// As `isaglot_tablegen_json`, for a text in memory that is called `name` in messages. `read` gives the files that it includes; it is
// asked for the name as written, then for the name in each of the folders `include`. It may be NULL: then there are no such files.
isaglot_buffer *isaglot_tablegen_json_text(const char *name,
                                           const char *text,
                                           size_t length,
                                           const char *const *include,
                                           size_t include_count,
                                           isaglot_read read,
                                           void *user,
                                           isaglot_problems **problems);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* ISAGLOT_H */
