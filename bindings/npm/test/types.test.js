// The types hold for a program that uses all of them: where TypeScript's compiler is at hand (`npm install --global typescript`).
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL("..", import.meta.url));
const tsc = process.env.ISAGLOT_TSC ?? "tsc";
const isThere = spawnSync(tsc, ["--version"]).status === 0;

const PROGRAM = `
import { load, IsaglotError, type Instruction, type Problem } from "isaglot";
const isa = await load("rv64gc", { gen: 64, features: ["+zba"] });
const one: Instruction = isa.decode([0x33, 0x85, 0xc5, 0x00]);
const value: bigint = BigInt(one.fields[0]?.value ?? "0x0");
const bytes: Uint8Array = isa.assemble(one.text);
const { text, used } = isa.disassemble(bytes, { labels: true });
const total: number = used + text.length + isa.decodeAll(bytes).size.length + isa.mnemonics("b").length;
const other = await load({ "a.xml": "<isa/>" });
const why = other.explain("0x1")[0]?.match?.text ?? "";
try { isa.list(bytes, { defs: true }); } catch (error) {
  if (error instanceof IsaglotError) { const all: readonly Problem[] = error.problems; void all; }
}
(await isa.with({ gen: "64" })).dispose();
void [value, total, why];
// @ts-expect-error an option that there is not
await load("minnow", { colour: "red" });
// @ts-expect-error a word is not a number
isa.explain(5);
`;

test("types", { skip: isThere ? false : "there is no tsc" }, () => {
  const dir = mkdtempSync(`${tmpdir()}/isaglot-types-`);
  try {
    const to = `${dir}/node_modules/isaglot`;
    mkdirSync(to, { recursive: true });
    for (const name of ["package.json", "index.d.ts"]) cpSync(`${here}/${name}`, `${to}/${name}`);
    writeFileSync(`${dir}/package.json`, '{ "type": "module" }');
    writeFileSync(`${dir}/program.ts`, PROGRAM);
    const options = ["--strict", "--noEmit", "--target", "es2022", "--module", "nodenext", "--moduleResolution", "nodenext", "--lib", "es2022,dom"];
    const done = spawnSync(tsc, [...options, "program.ts"], { cwd: dir });
    assert.equal(done.status, 0, `${done.stdout}${done.stderr}`);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
});
