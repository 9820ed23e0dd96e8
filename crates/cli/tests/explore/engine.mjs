// The back end of a folder of pages, run by Node: a question per line of the input as JSON, an answer per line of the output, its bytes as the
// engine gives them. Arguments: the folder.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import vm from "node:vm";

const folder = process.argv[2];
const script = (name) => readFileSync(`${folder}/${name}`, "utf8");
// The worker's function, without the page around it.
const source = script("explore-engine.js").split("const isaglotBackend")[0];
const work = vm.runInThisContext(`${script("engine.js")}\n${script("description.js")}\n${source}\n({
  work: isaglotWork, start: { engine: ISAGLOT_ENGINE, ...ISAGLOT_DESCRIPTION } })`);
const answer = work.work(({ made }) => process.stdout.write(`${made}\n`));
answer({ start: work.start });
for await (const line of createInterface({ input: process.stdin })) {
  const { question, bytes } = JSON.parse(line);
  const frames = bytes === undefined ? [] : [Uint8Array.from(Buffer.from(bytes, "hex"))];
  answer({ id: 0, question, choice: null, frames });
}
