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

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The length of a text that ends with NUL. */
#define ISAGLOT_NUL SIZE_MAX


// Listing: definitions, uses and live registers.
#define ISAGLOT_LIST_DEFS 1

// Listing: byte offsets.
#define ISAGLOT_LIST_PC 2

// Listing: the words, in hexadecimal.
#define ISAGLOT_LIST_BITS 4

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

// What an operand is. More may come: one that is not known is to be treated as data.
typedef enum {
    // A register.
    ISAGLOT_REGISTER = 0,
    // A number.
    ISAGLOT_IMMEDIATE = 1,
    // Where a branch goes.
    ISAGLOT_LABEL = 2,
    // Memory at an address in a register.
    ISAGLOT_ADDRESS = 3,
    // Data of a message.
    ISAGLOT_DATA = 4,
} isaglot_operand_kind;

// Bytes that the caller owns: a program, a text or JSON. A NUL that is not counted follows them. With what is to be said of them
// although there was no error.
typedef struct isaglot_buffer isaglot_buffer;

// What is chosen of a description.
typedef struct isaglot_choice isaglot_choice;

// Instructions of a run of bytes, one row each. What its arrays are is valid until rows are added or removed.
typedef struct isaglot_columns isaglot_columns;

// A description with a gen and features, ready for questions. Any number of threads may use it at once.
typedef struct isaglot_engine isaglot_engine;

// A field of an instruction. It belongs to the instruction.
typedef struct isaglot_field isaglot_field;

// Where an `isaglot_read` puts a file.
typedef struct isaglot_input isaglot_input;

// An instruction, taken apart. Nothing changes it, so several threads may read it.
typedef struct isaglot_instruction isaglot_instruction;

// The line that is being printed, for a function of the caller that adds to it with `isaglot_output_write`.
typedef struct isaglot_output isaglot_output;

// How a program is printed. Its functions are called by every thread that prints with it.
typedef struct isaglot_print isaglot_print;

// A list of problems, in the order in which they were found. Nothing changes it, so several threads may read it.
typedef struct isaglot_problems isaglot_problems;

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

// Bits of a word: `width` of them from `low` on. Bit 0 is the least significant one.
typedef struct {
    // The lowest bit.
    uint32_t low;
    // How many bits.
    uint32_t width;
} isaglot_range;

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

// Takes a piece of output: `len` bytes at `data`, without a NUL. 0 asks for more; anything else ends the call, which then fails
// with the code `c-stopped`. `user` is what was given with the function.
typedef int (*isaglot_write)(void *user, const char *data, size_t len);

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// The version of the library, such as `0.1.0`.
const char *isaglot_version(void);

// The first of the bytes, which a NUL follows; NULL for NULL.
const uint8_t *isaglot_buffer_data(const isaglot_buffer *buffer);

// How many bytes there are, without the NUL; 0 for NULL.
size_t isaglot_buffer_length(const isaglot_buffer *buffer);

// What is to be said of the bytes although there was no error: warnings, findings of a check, words of a program that are not valid.
const isaglot_problems *isaglot_buffer_problems(const isaglot_buffer *buffer);

// Frees the bytes; NULL is allowed.
void isaglot_buffer_free(isaglot_buffer *buffer);

// Gives the bytes of a file, from within an `isaglot_read`; they are copied. `length` may be `ISAGLOT_NUL` for a text.
void isaglot_input_give(isaglot_input *input,
                        const char *data,
                        size_t length);

// Says why there is no such file, from within an `isaglot_read`.
void isaglot_input_fail(isaglot_input *input, const char *reason);

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

// All problems as a JSON array: `severity`, `code`, `message`, `notes`, and `place` with `file`, `line`, `column`, `offset` and
// `length`, or null.
isaglot_str isaglot_problems_json(const isaglot_problems *problems);

// Frees the problems; NULL is allowed.
void isaglot_problems_free(isaglot_problems *problems);

// Nothing is chosen yet: gen 0, and the features that a description has by default.
isaglot_choice *isaglot_choice_new(void);

// Frees it; NULL is allowed.
void isaglot_choice_free(isaglot_choice *choice);

// The gen: a number, or a name that the description gives.
void isaglot_choice_gen(isaglot_choice *choice, const char *gen);

// Switches a feature on (`+name` or `name`) or off (`-name`). Any number of calls.
void isaglot_choice_feature(isaglot_choice *choice, const char *change);

// A folder in which included files are looked for (TableGen). Any number of calls.
void isaglot_choice_include(isaglot_choice *choice, const char *folder);

// A file that says what operands mean (TableGen, published formats of RISC-V); without one, that which ships with the library for
// a target of that name.
void isaglot_choice_operands(isaglot_choice *choice,
                             const char *file);

// A folder that is put over the description (RISC-V Unified Database).
void isaglot_choice_overlay(isaglot_choice *choice, const char *folder);

// A file that says what an implementation has (RISC-V Unified Database).
void isaglot_choice_config(isaglot_choice *choice, const char *file);

// The target, such as `riscv64` (TableGen).
void isaglot_choice_triple(isaglot_choice *choice, const char *triple);

// The processor (TableGen).
void isaglot_choice_cpu(isaglot_choice *choice, const char *cpu);

// Print aliases instead of the instructions that they stand for, or never; without this call as is usual for the description.
void isaglot_choice_aliases(isaglot_choice *choice,
                            bool on);

// Take a compiled description although its sources have changed.
void isaglot_choice_stale(isaglot_choice *choice, bool on);

// The names that `isaglot_open` takes, for a person: what `isaglot --isa help` prints.
isaglot_buffer *isaglot_names(isaglot_problems **problems);

// Opens a description: by name (`rv64gc`, `minnow@v2`, `xehpc`, `spirv`), or by path (`ir3.xml`, `./riscv.isa`,
// `llvm/lib/Target/BPF/BPF.td`). A text with a separator of paths, or with a dot before any `@`, is a path. `choice` may be NULL.
isaglot_engine *isaglot_open(const char *source,
                             const isaglot_choice *choice,
                             isaglot_problems **problems);

// Opens a description in isaspec XML whose files come from `read`, which is called with `user`: first for `top`, then for each file
// that is imported. No file system is used.
isaglot_engine *isaglot_open_xml(const char *top,
                                 isaglot_read read,
                                 void *user,
                                 const isaglot_choice *choice,
                                 isaglot_problems **problems);

// Opens what `isaglot compile` made of a description, from memory. `name` is what messages call it.
isaglot_engine *isaglot_open_compiled(const char *name,
                                      const uint8_t *data,
                                      size_t length,
                                      const isaglot_choice *choice,
                                      isaglot_problems **problems);

// Another handle of the same description: nothing is read or compiled again. NULL for NULL. Each handle is freed by itself.
isaglot_engine *isaglot_engine_share(const isaglot_engine *engine);

// Frees a handle; NULL is allowed. The description goes with its last handle.
void isaglot_engine_free(isaglot_engine *engine);

// What it was opened by.
isaglot_str isaglot_engine_name(const isaglot_engine *engine);

// The gen that is decoded for, as a number; -1 of SPIR-V, which has none.
int64_t isaglot_engine_gen(const isaglot_engine *engine);

// What is to be said of the description and the choices although it can be used; never NULL for an engine.
const isaglot_problems *isaglot_engine_warnings(const isaglot_engine *engine);

// How many encodings it has.
size_t isaglot_engine_encoding_count(const isaglot_engine *engine);

// The name of an encoding, by its number.
isaglot_str isaglot_engine_encoding_name(const isaglot_engine *engine, size_t index);

// The mnemonic of an encoding, by its number.
isaglot_str isaglot_engine_encoding_mnemonic(const isaglot_engine *engine, size_t index);

// No rows.
isaglot_columns *isaglot_columns_new(void);

// Frees the rows; NULL is allowed.
void isaglot_columns_free(isaglot_columns *columns);

// Removes all rows and keeps the memory for others.
void isaglot_columns_clear(isaglot_columns *columns);

// Adds the instructions of a run of bytes as rows. `used` gets how many bytes that were, and may be NULL; what is left is less than an
// instruction. Nothing is allocated but what the columns grow by. False if it fails: then there may be some rows more.
bool isaglot_decode_many(const isaglot_engine *engine,
                         const uint8_t *data,
                         size_t length,
                         isaglot_columns *columns,
                         size_t *used,
                         isaglot_problems **problems);

// How many rows there are.
size_t isaglot_columns_count(const isaglot_columns *columns);

// The byte offset of each instruction in the run that it was in.
const uint64_t *isaglot_columns_offset(const isaglot_columns *columns);

// How many bytes each instruction has.
const uint32_t *isaglot_columns_size(const isaglot_columns *columns);

// The number of each encoding, for `isaglot_engine_encoding_name`; -1 for a word that is not a valid instruction.
const int32_t *isaglot_columns_encoding(const isaglot_columns *columns);

// Where each text begins in `isaglot_columns_text`, and after them where the last one ends: one more than there are rows, or none if
// there are no rows.
const uint32_t *isaglot_columns_text_offset(const isaglot_columns *columns);

// The texts, one after the other, without NUL. A word that is not a valid instruction has an empty one.
const char *isaglot_columns_text(const isaglot_columns *columns);

// The instruction that the bytes begin with; further bytes are not looked at. What fails has the code `decode-short` if there are
// fewer bytes than an instruction has, `decode-none` if no encoding matches, `decode-conflict` if two do.
isaglot_instruction *isaglot_decode(const isaglot_engine *engine,
                                    const uint8_t *data,
                                    size_t length,
                                    isaglot_problems **problems);

// Frees an instruction; NULL is allowed.
void isaglot_instruction_free(isaglot_instruction *instruction);

// How many bytes it takes in memory.
size_t isaglot_instruction_size(const isaglot_instruction *instruction);

// The word as a number: little-endian, `isaglot_instruction_size` bytes, whatever the byte order of the machine.
const uint8_t *isaglot_instruction_word(const isaglot_instruction *instruction);

// The mnemonic that the description gives it, without suffixes that depend on operands.
isaglot_str isaglot_instruction_mnemonic(const isaglot_instruction *instruction);

// The name of its encoding in the description.
isaglot_str isaglot_instruction_encoding(const isaglot_instruction *instruction);

// Its text, as `isaglot disasm` prints it without labels.
isaglot_str isaglot_instruction_text(const isaglot_instruction *instruction);

// What is wrong with the word although it is an instruction; empty for nothing. A disassembly shows it after the text.
isaglot_str isaglot_instruction_problem(const isaglot_instruction *instruction);

// How many operands there are: the destination, then the sources. 0 if the description does not say what they are.
size_t isaglot_instruction_operand_count(const isaglot_instruction *instruction);

// What an operand is.
isaglot_operand_kind isaglot_instruction_operand_kind(const isaglot_instruction *instruction, size_t index);

// Whether an operand is the destination.
bool isaglot_instruction_operand_is_written(const isaglot_instruction *instruction, size_t index);

// The name of the register, or of the first one of several and how many (`r4:2`); the number; the target of a branch.
isaglot_str isaglot_instruction_operand_text(const isaglot_instruction *instruction,
                                             size_t index);

// How many fields its encoding has.
size_t isaglot_instruction_field_count(const isaglot_instruction *instruction);

// A field of its encoding, in the order of the description; NULL for an index that is too high.
const isaglot_field *isaglot_instruction_field(const isaglot_instruction *instruction, size_t index);

// The name of a field.
isaglot_str isaglot_field_name(const isaglot_field *field);

// How a field prints.
isaglot_str isaglot_field_text(const isaglot_field *field);

// How many bits the value of a field has.
uint32_t isaglot_field_width(const isaglot_field *field);

// The raw value of a field, little-endian, in as many bytes as its width needs; a negative number in two's complement.
const uint8_t *isaglot_field_value(const isaglot_field *field);

// How many ranges of bits of the word a field has; 0 if it is derived from other fields.
size_t isaglot_field_range_count(const isaglot_field *field);

// A range of bits of a field; the first one has the least significant part of the value.
isaglot_range isaglot_field_range(const isaglot_field *field, size_t index);

// The expression that a field is derived by; empty if it has bits of its own.
isaglot_str isaglot_field_derived(const isaglot_field *field);

// The name of the encoding that the value of a field is; empty if it is a number.
isaglot_str isaglot_field_encoding(const isaglot_field *field);

// How many fields that encoding has.
size_t isaglot_field_field_count(const isaglot_field *field);

// A field of that encoding; NULL for an index that is too high.
const isaglot_field *isaglot_field_field(const isaglot_field *field, size_t index);

// Prints as `isaglot disasm` does: what is wrong with an instruction stands after it, and there are no labels.
isaglot_print *isaglot_print_new(void);

// Frees it; NULL is allowed.
void isaglot_print_free(isaglot_print *print);

// Whether places that branches go to have labels, and branches name them. Intel Xe always has them.
void isaglot_print_labels(isaglot_print *print, bool on);

// Whether what is wrong with an instruction stands after it.
void isaglot_print_errors(isaglot_print *print, bool on);

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

// The text of a program, as `isaglot disasm` prints it. `print` may be NULL. Bytes at the end that are less than an instruction have
// no text. `isaglot_buffer_problems` has bad words of Intel Xe and SPIR-V; of others they are lines of the text.
isaglot_buffer *isaglot_disassemble(const isaglot_engine *engine,
                                    const uint8_t *data,
                                    size_t length,
                                    const isaglot_print *how,
                                    isaglot_problems **problems);

// The same, given piece by piece to `write`, which is called with `user`; so a text of any size needs little memory. `used` gets how
// many bytes of the program it is of, and may be NULL. False if it fails; what was written before stays written.
bool isaglot_disassemble_to(const isaglot_engine *engine,
                            const uint8_t *data,
                            size_t length,
                            const isaglot_print *how,
                            isaglot_write write,
                            void *user,
                            size_t *used,
                            isaglot_problems **problems);

// The bytes of a program, as `isaglot asm` makes them. All problems of the text are reported, each with its place in the file
// `<text>`; `isaglot_buffer_problems` has warnings.
isaglot_buffer *isaglot_assemble(const isaglot_engine *engine,
                                 const char *text,
                                 size_t length,
                                 isaglot_problems **problems);

// Why a word decodes as it does, or what comes nearest, as text; of assembly, each word that it makes. A word is hexadecimal
// (`0x1448` or just digits), binary (`0b…`), or bytes in memory order (`48:14`). A mnemonic wins over hexadecimal digits.
isaglot_buffer *isaglot_explain(const isaglot_engine *engine,
                                const char *question,
                                size_t length,
                                isaglot_problems **problems);

// The same as JSON: an array with an object for each word.
isaglot_buffer *isaglot_explain_json(const isaglot_engine *engine,
                                     const char *question,
                                     size_t length,
                                     isaglot_problems **problems);

// What is wrong with the description, for its gen and features, with words that show it: the JSON of `isaglot check --json`.
// `isaglot_buffer_problems` has the findings.
isaglot_buffer *isaglot_check(const isaglot_engine *engine,
                              isaglot_problems **problems);

// The listing of a program: instructions taken apart, blocks and their edges, as the JSON of `isaglot list --json`. `flags` are
// `ISAGLOT_LIST_…`.
isaglot_buffer *isaglot_list(const isaglot_engine *engine,
                             const uint8_t *data,
                             size_t length,
                             uint32_t flags,
                             isaglot_problems **problems);

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
