// The package beside the program `isaglot`: the same bytes for explanations, texts, programs and listings of six instruction sets.
// A sample in the ordinary run; 10,000 words and 2,000 texts of each with ISAGLOT_FULL=1.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { test } from "node:test";

import { load } from "isaglot";
import { corpus, full, lacks, pieces, program, random, root, run } from "./peer.js";

const WORDS = full ? 10_000 : 1_000;
const TEXTS = full ? 2_000 : 200;
const AT_ONCE = 500; // words of a command line
const SECTION = 400; // instructions of a program

const folder = mkdtempSync(`${tmpdir()}/isaglot-npm-`);
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

// A description in XML with all files of its folder, by the names that the program knows them by.
function xml(top) {
  const dir = top.slice(0, top.lastIndexOf("/"));
  const others = readdirSync(dir).filter((name) => name.endsWith(".xml")).map((name) => `${dir}/${name}`);
  const names = [top, ...others.filter((name) => name !== top)];
  return Object.fromEntries(names.map((name) => [name, readFileSync(name)]));
}

function compiled(name, args) {
  const path = `${folder}/${name}.isa`;
  run(["compile", ...args, "-o", path]);
  return [path, readFileSync(path)];
}

// A target of LLVM out of the corpus.
function target() {
  execFileSync("tar", ["-xJf", `${corpus}/tablegen/td.tar.xz`, "-C", folder]);
  const lib = `${folder}/llvm/lib/Target/BPF`;
  return compiled("bpf", [`${lib}/BPF.td`, "-I", `${folder}/llvm/include`, "-I", lib]);
}

const mesa = `${corpus}/isaspec/xml`;

const CASES = [
  ["minnow", [`${root}/specs/minnow/minnow.xml`], (top) => [["--spec", top, "--gen", "v2"], xml(top), { gen: "v2" }]],
  ["trio", [`${root}/specs/trio/trio.xml`], (top) => [["--spec", top], xml(top), {}]],
  ["rv64gc", [], () => [["--isa", "rv64gc"], "rv64gc", {}]],
  // Compiled, so that the roles of their operands are in them.
  ["ir3", [`${mesa}/ir3/ir3.xml`], (top) => {
    const [path, bytes] = compiled("ir3", [top]);
    return [["--spec", path, "--gen", "600"], bytes, { name: path, gen: 600 }];
  }],
  ["etnaviv", [`${mesa}/etnaviv/etnaviv.xml`], (top) => {
    const [path, bytes] = compiled("etnaviv", [top]);
    return [["--spec", path], bytes, { name: path }];
  }],
  ["bpf", [`${corpus}/tablegen/td.tar.xz`], () => {
    const [path, bytes] = target();
    return [["--spec", path], bytes, { name: path }];
  }],
  ["xe", [`${root}/specs/xe/xe.xml`], (top) => [["--spec", top, "--gen", "xehpc"], xml(top), { gen: "xehpc" }]],
];

// Words around each encoding: an example of it as it is, and with a few bits flipped.
function* words(isa, seed) {
  const next = random(seed);
  const examples = isa.mnemonics().map((m) => m.example);
  for (;;) {
    const example = examples[next() % examples.length];
    const width = 4 * (example.length - 2);
    let word = BigInt(example);
    for (let flips = next() % 3 ? next() % 24 : 0; flips > 0; flips--) word ^= 1n << BigInt(next() % width);
    yield `0x${word.toString(16).padStart(width / 4, "0")}`;
  }
}

for (const [name, needed, open] of CASES) {
  test(`${name}: the answers of the program`, { skip: lacks(program, ...needed) }, async (t) => {
    const [args, source, options] = open(...needed);
    const isa = await load(source, options);
    const asked = first(words(isa, 1), WORDS);
    // A name reads the program's description with its places, which a compiled one does not have.
    const plain = (text) => (args[0] === "--isa" ? text.replace(/"at": "[^"]*"/g, '"at": ""') : text);

    // Of a word that is shorter or longer than its first bits say, both say so.
    const valid = asked.filter((word) => {
      try {
        return isa.explain(word).length === 1;
      } catch (error) {
        assert.equal(error.problems[0].code, "cli-word");
        return false;
      }
    });
    assert.ok(valid.length * 2 > asked.length, `${valid.length} of ${asked.length} words have their length`);
    let instructions = [];
    for (const some of pieces(valid, AT_ONCE)) {
      const wanted = plain(run(["explain", ...args, "--json", ...some]).toString());
      const given = `${JSON.stringify(some.flatMap((word) => isa.explain(word)), null, 2)}\n`;
      assert.equal(plain(given), wanted);
      instructions.push(...JSON.parse(wanted).filter((one) => one.match));
    }
    assert.ok(instructions.length >= valid.length / 4, `${instructions.length} of ${valid.length} are instructions`);
    t.diagnostic(`${valid.length} words, of which ${instructions.length} are instructions`);

    // Texts: those that the package assembles, and what is said of those that it does not.
    const [texts, refused] = [new Set(), []];
    for (const word of first(words(isa, 2), 40 * TEXTS)) {
      if (texts.size >= TEXTS) break;
      const match = valueOf(() => isa.explain(word)[0].match);
      if (!match || match.errors !== "" || match.text.startsWith("-")) continue;
      if (valueOf(() => isa.explain(match.text))) texts.add(match.text);
      else refused.push(match.text);
    }
    // Small machines do not have so many different ones, and the texts of xe's templates are mnemonics alone.
    assert.ok(texts.size >= Math.min(TEXTS, 50), `${texts.size} texts`);
    for (const text of refused.slice(0, 5)) assert.throws(() => run(["explain", ...args, "--json", "--", text]), { status: 1 });
    for (const some of pieces([...texts], AT_ONCE)) {
      const wanted = plain(run(["explain", ...args, "--json", "--", ...some]).toString());
      const given = `${JSON.stringify(some.flatMap((text) => isa.explain(text)), null, 2)}\n`;
      assert.equal(plain(given), wanted);
    }
    t.diagnostic(`${texts.size} texts; ${refused.length} refused`);

    // One instruction at a time, as `disasm --words` prints it.
    const bytes = valid.map((word) => memory(isa, word));
    const lines = run(["disasm", ...args, "--words"], `${bytes.map((b) => Buffer.from(b).toString("hex")).join("\n")}\n`);
    const given = bytes.map((b) => {
      const { text, used } = isa.decodeAll(b);
      return text.length === 1 && used === b.length ? text[0] : "";
    });
    assert.deepEqual(given, lines.toString().split("\n").slice(0, -1));

    // Programs: texts, texts with labels, their bytes, and listings.
    for (const some of pieces(instructions, SECTION).slice(0, full ? 10 : 1)) {
      const code = Buffer.concat(some.map((one) => memory(isa, one.word)));
      assert.equal(isa.disassemble(code).text, run(["disasm", ...args], code).toString());
      const labelled = isa.disassemble(code, { labels: true }).text;
      assert.equal(labelled, run(["disasm", ...args, "--labels"], code).toString());
      assert.equal(isa.listText(code, { pc: true, bits: true }).text, run(["list", ...args, "--json", "--defs", "--pc", "--bits"], code).toString());
      let made = null;
      try {
        made = isa.assemble(labelled);
      } catch (error) {
        // What the package refuses the program refuses.
        assert.ok(error.problems.length > 0);
        assert.throws(() => run(["asm", ...args], labelled), { status: 1 });
      }
      if (made) assert.deepEqual(Buffer.from(made), run(["asm", ...args], labelled));
    }
    isa.dispose();
  });
}

// So many of what is generated.
function first(all, count) {
  const out = [];
  for (const one of all) {
    if (out.length === count) return out;
    out.push(one);
  }
  return out;
}

// What a question is answered with; nothing if it is refused with problems.
function valueOf(ask) {
  try {
    return ask();
  } catch (error) {
    assert.ok(error.problems?.length > 0, `${error}`);
    return undefined;
  }
}

// The bytes of a word in memory order.
function memory(isa, word) {
  const bytes = Buffer.from(word.slice(2).padStart(2 * Math.ceil((word.length - 2) / 2), "0"), "hex");
  return isa.byteOrder === "big" ? bytes : bytes.reverse();
}
