/** A description of an instruction set with a gen and features, and the tools that come of it. */

/** Bytes of a program or a file. */
export type Bytes = Uint8Array | ArrayBuffer | ArrayBufferView | readonly number[];

/** A hexadecimal number with `0x`, of any width: `BigInt(text)` makes a number of it. */
export type Hex = string;

/** What is chosen of a description. */
export interface Choice {
  /** The gen: a number, or a name that the description gives. */
  gen?: string | number;
  /** Features to switch on (`+name` or `name`) or off (`-name`), in order. */
  features?: readonly string[];
  /** The target, of a compiled target of LLVM: `riscv64`. */
  triple?: string;
  /** The processor, of a compiled target of LLVM. */
  cpu?: string;
  /** Print aliases, or never; without it as is usual for the description. */
  aliases?: boolean;
}

/** Choices, and what a single file is called in messages. */
export interface LoadOptions extends Choice {
  name?: string;
}

/** A place in a text that was given. */
export interface Place {
  /** The file; `<text>` for a text that was given as such. */
  file: string;
  /** From 1. */
  line: number;
  /** In characters, from 1. */
  column: number;
  /** Bytes before it in the file. */
  offset: number;
  /** Bytes that it has. */
  length: number;
}

/** Something that is wrong, or to be known. */
export interface Problem {
  /** Stable: `asm-unknown-mnemonic`. */
  code: string;
  severity: "error" | "warning" | "note";
  /** One sentence. */
  message: string;
  notes: string[];
  place: Place | null;
  /** All of it for people, with the lines of the source. */
  text: string;
}

/** What is wrong with a description, a program or a word; or the engine has failed, then without problems. */
export class IsaglotError extends Error {
  readonly problems: Problem[];
}

/** Bits `low` to `low + width - 1` of the word. Bit 0 is the least significant one. */
export interface BitRange {
  low: number;
  width: number;
}

export interface Field {
  name: string;
  /** Where its bits are, the least significant part of the value first. Empty if it is derived. */
  bits: BitRange[];
  /** The expression that it is derived by. */
  derived: string | null;
  /** Its raw value; a negative number in two's complement of `width` bits. */
  value: Hex;
  width: number;
  /** How it prints. */
  text: string;
  /** The value taken apart, if it is an encoding of its own. */
  nested: { encoding: string; fields: Field[] } | null;
}

export interface Operand {
  kind: "register" | "immediate" | "label" | "address" | "data";
  isWritten: boolean;
  text: string;
}

export interface Instruction {
  mnemonic: string;
  /** As `isaglot disasm` prints it. */
  text: string;
  /** What is wrong with it although it is an instruction. */
  problem: string | null;
  /** The name of its encoding in the description. */
  encoding: string;
  word: Hex;
  /** The width of the word. */
  bits: number;
  /** Bytes in memory. */
  size: number;
  operands: Operand[];
  fields: Field[];
}

/** Instructions as columns, one row each. */
export interface Columns {
  /** Bytes before it. */
  offset: number[];
  /** Bytes that it has. */
  size: number[];
  /** The number of its encoding; -1 for a word that is not a valid instruction. */
  encoding: number[];
  /** Its text; empty for a word that is not a valid instruction. */
  text: string[];
  /** How many bytes that were. What is left is less than an instruction. */
  used: number;
}

export interface Encoding {
  name: string;
  mnemonic: string;
  /** `FILE:LINE:COLUMN`; empty of a compiled description. */
  at: string;
  /** The bits that decide, the most significant first, `x` for any. */
  pattern: string;
}

export interface Explanation {
  word: Hex;
  bits: number;
  /** If it is an instruction. */
  match?: {
    encoding: Encoding;
    text: string;
    errors: string;
    cases: { owner: string; guard: string | null; value: number | null; shown: boolean }[];
    fields: unknown[];
    dont_care_set: number[];
  };
  /** If two encodings match. */
  conflict?: Encoding[];
  /** If none does. */
  nearest?: { encoding: Encoding; wrong_bits: number[] }[];
}

export interface Mnemonic {
  mnemonic: string;
  encodings: string[];
  /** A word of the first encoding. */
  example: Hex;
}

/** A description with a gen and features, ready for questions. */
export interface Isa {
  readonly name: string;
  /** The gen that is decoded for, as a number. */
  readonly gen: number;
  /** The gens that have names. */
  readonly gens: readonly { name: string; value: number }[];
  readonly features: readonly { name: string; on: boolean; doc: string }[];
  /** Bits of the widest instruction. */
  readonly bits: number;
  readonly byteOrder: "little" | "big";
  /** What is to be said of the description and the choices, although it can be used. */
  readonly warnings: readonly Problem[];

  /** The same description with other choices. The choices of before are not kept, and this object stays as it is. */
  with(options?: Choice): Promise<Isa>;
  /** The instruction that the bytes begin with. Throws `decode-short`, `decode-none` or `decode-conflict`. */
  decode(bytes: Bytes): Instruction;
  /** All instructions of a run of bytes. */
  decodeAll(bytes: Bytes): Columns;
  /** Why words decode as they do, or what comes nearest: a word in hex or binary, bytes in memory order, or assembly. */
  explain(question: string): Explanation[];
  /** The same for people. */
  explainText(question: string): string;
  /** The bytes of a program. Throws everything that is wrong with it. */
  assemble(text: string): Uint8Array;
  /** The text of a program; `used` says how many bytes it is of. */
  disassemble(bytes: Bytes, options?: { labels?: boolean }): { text: string; used: number; problems: Problem[] };
  /** The listing of a program: blocks, operands, definitions and uses. `docs/listings.md` describes it. */
  list(bytes: Bytes, options?: ListOptions): { listing: unknown; problems: Problem[] };
  /** The listing as the text of its JSON, as `isaglot list --json` prints it. */
  listText(bytes: Bytes, options?: ListOptions): { text: string; problems: Problem[] };
  /** The mnemonics that contain a text, whatever its case; those that begin with it come first. */
  mnemonics(search?: string): Mnemonic[];
  /** Gives all memory back at once; without it, it is given back when the object is no longer used. */
  dispose(): void;
}

/** What a listing holds. */
export interface ListOptions {
  /** Definitions, uses and live registers; true without it. */
  defs?: boolean;
  /** Byte offsets. */
  pc?: boolean;
  /** The words. */
  bits?: boolean;
}

/**
 * Loads a description: by name (`minnow`, `trio`, `riscv`, `rv64gc_zba`, each also with `@GEN`), from bytes (what `isaglot compile`
 * has made, or isaspec XML), or from several files by name, of which the first is the description and the others are imported.
 */
export function load(source: string | Uint8Array | ArrayBuffer | ArrayBufferView | Map<string, string | Bytes> | Record<string, string | Bytes>, options?: LoadOptions): Promise<Isa>;
