// What the package promises of its own: errors, choices, memory, and that nothing that is asked brings it down.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

import { IsaglotError, load } from "isaglot";
import { random, root } from "./peer.js";

const code = (wanted) => (error) => {
  assert.ok(error instanceof IsaglotError, `${error}`);
  assert.equal(error.problems[0]?.code, wanted);
  assert.ok(error.message.length > 0);
  return true;
};

test("an instruction is taken apart", async () => {
  const rv = await load("rv64gc");
  const add = rv.decode([0x33, 0x85, 0xc5, 0x00, 0xff]);
  assert.equal(add.text, "add a0,a1,a2");
  assert.equal(add.size, 4);
  assert.deepEqual(add.fields.map((f) => [f.name, f.value, f.text]), [["RD", "0x0a", "a0"], ["RS1", "0x0b", "a1"], ["RS2", "0x0c", "a2"]]);
  assert.deepEqual(add.operands.map((o) => [o.kind, o.isWritten, o.text]), [["register", true, "a0"], ["register", false, "a1"], ["register", false, "a2"]]);
  assert.equal(rv.gen, 64);
  assert.ok(rv.features.some((f) => f.name === "c" && f.on));
});

test("what is wrong is an error with problems", async () => {
  const minnow = await load("minnow");
  assert.throws(() => minnow.decode([1]), code("decode-short"));
  assert.throws(() => minnow.explain("0x12345678"), code("cli-word"));
  const wrong = "li r2, 10\nfrob r1\nli r99, 1\n";
  assert.throws(() => minnow.assemble(wrong), (error) => {
    assert.deepEqual(error.problems.map((p) => [p.place.file, p.place.line]), [["<text>", 2], ["<text>", 3]]);
    return true;
  });
  await assert.rejects(load("nothing"), IsaglotError);
  await assert.rejects(load("minnow", { gen: "v9" }), code("cli-gen"));
  await assert.rejects(load("rv64gc", { features: ["+nope"] }), code("cli-feature"));
  await assert.rejects(load("minnow", { colour: 1 }), TypeError);
  await assert.rejects(load({ "a.xml": "<isa><bitset" }), (error) => error.problems[0].place.file === "a.xml");
  await assert.rejects(load({ "a.xml": '<isa><import file="b.xml"/></isa>' }), IsaglotError);
  await assert.rejects(load(new Uint8Array([1, 2, 3])), IsaglotError);
});

test("a description in several files", async () => {
  const files = {
    "top.xml": '<isa dialect="isaglot"><import file="part.xml"/><bitset name="first" extends="#instruction"><pattern low="0" high="7">00000001</pattern></bitset></isa>',
    "part.xml": '<isa dialect="isaglot"><bitset name="#instruction" size="8"><display>{NAME}</display></bitset></isa>',
  };
  const isa = await load(files);
  assert.equal(isa.disassemble([1]).text, "first\n");
  assert.deepEqual(isa.mnemonics().map((m) => m.mnemonic), ["first"]);
});

test("choices make other objects", async () => {
  const v1 = await load("minnow", { gen: "v1" });
  const v2 = await v1.with({ gen: "v2" });
  assert.deepEqual([v1.gen === v2.gen, v1.name], [false, "minnow"]);
  v1.dispose();
  assert.throws(() => v1.mnemonics(), IsaglotError);
  assert.ok(v2.mnemonics("l").length > 0);
});

test("the description of riscv is that of its names", async () => {
  const c = await load("rv32i");
  assert.throws(() => c.decode([0x01, 0x45]), IsaglotError);
  assert.equal((await load("rv32ic")).decode([0x01, 0x45]).text, "c.li a0,0");
});

test("random bytes are answered or refused", async () => {
  const next = random(7);
  const isa = await load("rv64gcv");
  for (let round = 0; round < 300; round++) {
    const bytes = Uint8Array.from({ length: next() % 64 }, () => next());
    isa.disassemble(bytes, { labels: true });
    isa.decodeAll(bytes);
    isa.list(bytes);
    const text = String.fromCharCode(...bytes.map((b) => b % 128));
    for (const ask of [() => isa.decode(bytes), () => isa.assemble(text), () => isa.explain(text)]) {
      try {
        ask();
      } catch (error) {
        assert.ok(error.problems?.length > 0, `${error}`);
      }
    }
  }
  // Descriptions that are cut off or changed.
  const whole = await readFile(`${root}/specs/minnow/minnow.xml`);
  for (let round = 0; round < 200; round++) {
    const bytes = Uint8Array.from(round % 2 ? whole : whole.subarray(0, next() % whole.length));
    for (let n = 0; n < 3; n++) bytes[next() % bytes.length] = next();
    await load(bytes, { name: "m.xml" }).catch((error) => assert.ok(error.problems?.length > 0, `${error}`));
  }
});

test("memory is given back", async () => {
  // An instance has at least one MiB; five thousand of them would not fit.
  for (let round = 0; round < 300; round++) {
    const isa = await load("minnow");
    isa.disassemble(new Uint8Array(1000));
    if (round % 2) isa.dispose();
  }
  assert.ok(process.memoryUsage().rss < 1 << 30);
});

test("many questions do not make the instance grow", async () => {
  const isa = await load("minnow");
  const ask = () => {
    for (let n = 0; n < 20_000; n++) isa.decode([0x48, 0x14]);
    return process.memoryUsage().external + process.memoryUsage().arrayBuffers;
  };
  const before = ask();
  assert.ok(ask() - before < 1 << 20);
});
