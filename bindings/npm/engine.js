// The face of the engine: one instance of the WebAssembly module for each description, so that letting go of the object lets go of
// all of its memory, and a failure in one description cannot touch another.

const ENGINE = "./isaglot.wasm";

// Descriptions that come with the package.
const SHIPPED = ["minnow", "trio", "riscv"];

// The most bytes of a question: a module can address four times as much, and makes copies.
const MAX_QUESTION = 1 << 30;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** What is wrong with a description, a program or a word. */
export class IsaglotError extends Error {
  constructor(message, problems = []) {
    super(message);
    this.name = "IsaglotError";
    this.problems = problems;
  }
}

function bytesOf(content, what) {
  if (typeof content === "string") return encoder.encode(content);
  if (content instanceof Uint8Array) return content;
  if (content instanceof ArrayBuffer) return new Uint8Array(content);
  if (ArrayBuffer.isView(content)) return new Uint8Array(content.buffer, content.byteOffset, content.byteLength);
  if (Array.isArray(content) && content.every((b) => Number.isInteger(b) && b >= 0 && b <= 255)) return Uint8Array.from(content);
  throw new TypeError(`${what}: expected bytes`);
}

// One instance of the module, and how it is asked.
class Engine {
  #exports;

  constructor(module) {
    this.#exports = new WebAssembly.Instance(module).exports;
  }

  // The bytes of the answer, which are the module's until the next question.
  ask(question, frames) {
    const all = [encoder.encode(JSON.stringify(question)), ...frames];
    const length = all.reduce((sum, frame) => sum + 4 + frame.length, 0);
    if (length > MAX_QUESTION) throw new RangeError(`${length} bytes are more than ${MAX_QUESTION} at once`);
    if (!this.#exports) throw new IsaglotError("the description was disposed of, or its engine has failed");
    const { memory, request, ask, answer, answer_length } = this.#exports;
    let code;
    try {
      const at = request(length) >>> 0;
      const view = new DataView(memory.buffer);
      const room = new Uint8Array(memory.buffer);
      let place = at;
      for (const frame of all) {
        view.setUint32(place, frame.length, true);
        room.set(frame, place + 4);
        place += 4 + frame.length;
      }
      code = ask();
    } catch (cause) {
      // What is left in the memory of an instance that was stopped means nothing.
      this.#exports = null;
      const error = new IsaglotError(`the engine has failed: ${cause.message}`);
      error.cause = cause;
      throw error;
    }
    const made = new Uint8Array(memory.buffer, answer() >>> 0, answer_length() >>> 0);
    if (code === 0) return made;
    const problems = JSON.parse(decoder.decode(made));
    throw new IsaglotError(problems.map((p) => p.text).join("").trimEnd(), problems);
  }

  text(question, ...frames) {
    return decoder.decode(this.ask(question, frames));
  }

  json(question, ...frames) {
    return JSON.parse(this.text(question, ...frames));
  }

  dispose() {
    this.#exports = null;
  }
}

/** A description with a gen and features, ready for questions. */
class Isa {
  #engine;
  #again;

  constructor(engine, about, again) {
    this.#engine = engine;
    this.#again = again;
    const { version, ...rest } = about;
    Object.assign(this, rest);
  }

  /** The same description with other choices, in place of those of before. */
  with(options = {}) {
    return this.#again(options);
  }

  /** The instruction that the bytes begin with, taken apart. */
  decode(bytes) {
    return this.#engine.json({ do: "decode" }, bytesOf(bytes, "decode"));
  }

  /** All instructions of a run of bytes, as columns. */
  decodeAll(bytes) {
    return this.#engine.json({ do: "columns" }, bytesOf(bytes, "decodeAll"));
  }

  /** Why a word decodes as it does, or what assembly is made of: what `isaglot explain --json` prints. */
  explain(question) {
    return this.#engine.json({ do: "explain", question: String(question) });
  }

  /** The same as text: what `isaglot explain` prints. */
  explainText(question) {
    return this.#engine.text({ do: "explain", question: String(question), text: true });
  }

  /** The bytes of a program. */
  assemble(text) {
    return this.#engine.ask({ do: "assemble", text: String(text) }, []).slice();
  }

  /** The text of a program. */
  disassemble(bytes, { labels = false } = {}) {
    return this.#engine.json({ do: "disassemble", labels }, bytesOf(bytes, "disassemble"));
  }

  /** The listing of a program: what `isaglot list --json` prints, as an object. */
  list(bytes, options = {}) {
    const { text, problems } = this.listText(bytes, options);
    return { listing: JSON.parse(text), problems };
  }

  /** The listing as the text of its JSON. */
  listText(bytes, { defs = true, pc = false, bits = false } = {}) {
    const made = this.#engine.ask({ do: "list", defs, pc, bits }, [bytesOf(bytes, "list")]);
    const length = new DataView(made.buffer, made.byteOffset).getUint32(0, true);
    const problems = JSON.parse(decoder.decode(made.subarray(4, 4 + length)));
    return { text: decoder.decode(made.subarray(8 + length)), problems };
  }

  /** The mnemonics that contain a text; all without one. */
  mnemonics(search = "") {
    return this.#engine.json({ do: "mnemonics", search: String(search) });
  }

  /** Gives all memory back. The object answers nothing after. */
  dispose() {
    this.#engine.dispose();
  }
}
if (Symbol.dispose) Isa.prototype[Symbol.dispose] = Isa.prototype.dispose;

const OPTIONS = ["gen", "features", "triple", "cpu", "aliases", "name"];

function choices(options) {
  for (const name of Object.keys(options)) {
    if (!OPTIONS.includes(name)) throw new TypeError(`${name} is not an option; expected one of: ${OPTIONS.join(", ")}`);
  }
  const { gen, features = [], triple, cpu, aliases } = options;
  return { gen: gen === undefined ? undefined : String(gen), features, triple, cpu, aliases };
}

/** The functions of the package, for a way to read the files that come with it. */
export function make(read) {
  let module = null;

  async function engine() {
    module ??= (async () => WebAssembly.compile(await read(ENGINE)))().catch((error) => {
      module = null; // it is tried again
      throw error;
    });
    return new Engine(await module);
  }

  async function open(names, frames, isa, options) {
    const one = await engine();
    const about = one.json({ do: "load", files: names, isa, ...choices(options) }, ...frames);
    return new Isa(one, about, (other) => open(names, frames, isa, other));
  }

  async function named(text, options) {
    const [name, gen] = text.split("@");
    const file = SHIPPED.includes(name) ? name : name.startsWith("rv") ? "riscv" : null;
    if (file === null) {
      const known = `${SHIPPED.join(", ")}, or names of RISC-V such as rv64gc_zba`;
      throw new IsaglotError(`no description called ${text} comes with the package; there are: ${known}`);
    }
    const chosen = gen === undefined ? options : { ...options, gen: options.gen ?? gen };
    return open([file], [await read(`./isa/${file}.isa`)], SHIPPED.includes(name) ? undefined : name, chosen);
  }

  /** Loads a description: by name, from the bytes of one file, or from several files of which the first is the description. */
  async function load(source, options = {}) {
    choices(options);
    if (typeof source === "string") return named(source, options);
    const isBytes = source instanceof ArrayBuffer || ArrayBuffer.isView(source);
    if (isBytes) return open([options.name ?? "description"], [bytesOf(source, "load")], undefined, options);
    if (source === null || typeof source !== "object") throw new TypeError("load: expected a name, bytes, or an object of files");
    const files = source instanceof Map ? [...source] : Object.entries(source);
    const frames = files.map(([name, content]) => bytesOf(content, name));
    return open(files.map(([name]) => name), frames, undefined, options);
  }

  return { load };
}
