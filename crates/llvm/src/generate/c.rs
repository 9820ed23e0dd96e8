//! The encoder and the decoder in C99: tables of fixed bits, fields and runs of bits, and one loop over them.
//!
//! A word is an array of `uint64_t`, the least significant one first, so that no compiler needs wider numbers.

use std::fmt::Write as _;

use super::{Entry, identifier};

/// The file.
pub(super) fn text(entries: &[Entry], stamp: &str, decoder: bool) -> String {
    let words = entries.iter().map(|e| e.width.div_ceil(64)).max().unwrap_or(1).max(1);
    let most = entries.iter().map(|e| e.fields.len()).max().unwrap_or(0);
    let mut out = format!("/* {stamp} */\n#include <stdint.h>\n\n");
    let _ = writeln!(out, "/* A word is WORDS numbers, the least significant one first. */");
    let _ = writeln!(out, "enum {{ WORDS = {words}, MAX_FIELDS = {} }};\n", most.max(1));
    out.push_str("/* The instructions. */\nenum opcode {\n");
    for e in entries {
        let _ = writeln!(out, "  OP_{},", identifier(&e.name));
    }
    let _ = writeln!(out, "  OPCODES\n}};\n");
    let _ = writeln!(out, "/* The fixed bits of each instruction, least significant word first. */");
    let _ = writeln!(out, "static const uint64_t InstBits[{}][{words}] = {{", entries.len().max(1));
    for e in entries {
        let _ = writeln!(out, "  {{{}}}, /* {} */", numbers(e.value, words), e.name);
    }
    out.push_str("};\n\n");
    tables(entries, &mut out);
    out.push_str(if decoder { "" } else { ENCODER });
    if decoder {
        patterns(entries, words, &mut out);
    }
    out
}

/// A number of up to 128 bits as the numbers of a word.
fn numbers(value: u128, words: u32) -> String {
    let list: Vec<String> =
        (0..words).map(|i| format!("UINT64_C({})", value.checked_shr(64 * i).unwrap_or(0) as u64)).collect();
    list.join(", ")
}

/// The fields of each instruction and the runs of bits of each field.
fn tables(entries: &[Entry], out: &mut String) {
    let (mut fields, mut runs) = (String::new(), String::new());
    let (mut field_count, mut run_count) = (0, 0);
    out.push_str("/* Name, width in bits, the first of its fields, and how many there are. */\n");
    out.push_str("static const struct { const char *name; unsigned width, first, count; } Insts[] = {\n");
    for e in entries {
        let _ = writeln!(out, "  {{\"{}\", {}, {field_count}, {}}},", e.name, e.width, e.fields.len());
        for field in &e.fields {
            let (name, method, width) = (&field.name, &field.method, field.width);
            let _ = writeln!(fields, "  {{\"{name}\", \"{method}\", {width}, {run_count}, {}}},", field.runs.len());
            for (from, to, count) in &field.runs {
                let _ = writeln!(runs, "  {{{from}, {to}, {count}}},");
            }
            run_count += field.runs.len();
        }
        field_count += e.fields.len();
    }
    out.push_str("  {0, 0, 0, 0}\n};\n\n");
    out.push_str(
        "/* Name, EncoderMethod of its record, width in bits, the first of its runs, and how many there are. */\n",
    );
    out.push_str("static const struct { const char *name, *method; unsigned width, first, count; } Fields[] = {\n");
    out.push_str(&fields);
    out.push_str("  {0, 0, 0, 0, 0}\n};\n\n/* Bit of the field, bit of the word, number of bits. */\n");
    out.push_str("static const struct { unsigned short from, to, count; } Runs[] = {\n");
    out.push_str(&runs);
    out.push_str("  {0, 0, 0}\n};\n\n");
}

const ENCODER: &str = "\
/* An operand whose bits are asked for. */
struct operand {
  unsigned opcode, index, width;
  const char *name, *method;
};

/* The word of an instruction. `operand` is asked for the bits of each operand: it gives a number or a register's number; for
   what a later step fills in it notes a relocation and gives 0. Returns 0; -1 if `operand` does not return 0, if a value does
   not fit, or if there is no such instruction. */
static inline int encode(unsigned opcode, int (*operand)(void *context, const struct operand *, uint64_t *value),
                         void *context, uint64_t word[WORDS]) {
  if (opcode >= OPCODES)
    return -1;
  for (unsigned i = 0; i < WORDS; i++)
    word[i] = InstBits[opcode][i];
  for (unsigned i = 0; i < Insts[opcode].count; i++) {
    unsigned f = Insts[opcode].first + i;
    struct operand one = {opcode, i, Fields[f].width, Fields[f].name, Fields[f].method};
    uint64_t value = 0;
    if (operand(context, &one, &value) != 0 || (one.width < 64 && value >> one.width != 0))
      return -1;
    for (unsigned r = Fields[f].first; r < Fields[f].first + Fields[f].count; r++)
      for (unsigned b = 0; b < Runs[r].count; b++) {
        unsigned from = Runs[r].from + b, to = Runs[r].to + b;
        if (from < 64)
          word[to / 64] |= (value >> from & 1) << to % 64;
      }
  }
  return 0;
}
";

fn patterns(entries: &[Entry], words: u32, out: &mut String) {
    let mut order: Vec<&Entry> = entries.iter().collect();
    order.sort_by_key(|e| std::cmp::Reverse(e.care.count_ones()));
    out.push_str("/* The bits that are tested, the instruction: the most specific first. */\n");
    out.push_str("static const struct { uint64_t care[WORDS]; unsigned opcode; } Patterns[] = {\n");
    for e in &order {
        let _ = writeln!(out, "  {{{{{}}}, OP_{}}},", numbers(e.care, words), identifier(&e.name));
    }
    out.push_str("  {{0}, OPCODES}\n};\n\n");
    out.push_str(DECODER);
}

const DECODER: &str = "\
/* What a word of `width` bits is: an opcode, with its fields in the order of its operands; -1 if it is not an instruction. */
static inline int decode(const uint64_t word[WORDS], unsigned width, uint64_t fields[MAX_FIELDS]) {
  for (unsigned p = 0; Patterns[p].opcode != OPCODES; p++) {
    unsigned opcode = Patterns[p].opcode, same = Insts[opcode].width == width;
    for (unsigned i = 0; i < WORDS; i++)
      same &= (word[i] & Patterns[p].care[i]) == InstBits[opcode][i];
    if (!same)
      continue;
    for (unsigned i = 0; i < MAX_FIELDS; i++)
      fields[i] = 0;
    for (unsigned i = 0; i < Insts[opcode].count; i++) {
      unsigned f = Insts[opcode].first + i;
      for (unsigned r = Fields[f].first; r < Fields[f].first + Fields[f].count; r++)
        for (unsigned b = 0; b < Runs[r].count; b++) {
          unsigned from = Runs[r].from + b, to = Runs[r].to + b;
          if (from < 64)
            fields[i] |= (word[to / 64] >> to % 64 & 1) << from;
        }
    }
    return (int)opcode;
  }
  return -1;
}
";
