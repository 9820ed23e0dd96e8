// The tarball, installed into an empty folder: the README's example runs there.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL("..", import.meta.url));

test("the example of the README", () => {
  const dir = mkdtempSync(`${tmpdir()}/isaglot-tarball-`);
  try {
    const packed = JSON.parse(execFileSync("npm", ["pack", "--json", "--pack-destination", dir], { cwd: here, stdio: ["ignore", "pipe", "ignore"] }));
    const names = packed[0].files.map((f) => f.path).sort();
    assert.deepEqual(names, ["LICENSE-APACHE", "LICENSE-MIT", "README.md", "engine.js", "index.d.ts", "isa/minnow.isa", "isa/riscv.isa", "isa/trio.isa", "isaglot.wasm", "node.js", "package.json", "web.js"]);
    writeFileSync(`${dir}/package.json`, '{ "name": "empty", "private": true, "type": "module" }');
    execFileSync("npm", ["install", "--offline", "--no-audit", "--no-fund", `${dir}/${packed[0].filename}`], { cwd: dir, stdio: "ignore" });
    const readme = readFileSync(`${here}/README.md`, "utf8");
    const [, example] = readme.match(/```js\n([^]*?)```/);
    writeFileSync(`${dir}/example.js`, example);
    const said = execFileSync("node", ["example.js"], { cwd: dir }).toString();
    // What the example prints stands in its comments, but for the program.
    const wanted = [...example.matchAll(/\); \/\/ (.*)/g)].map((m) => m[1]);
    assert.equal(wanted.length, 3);
    for (const line of wanted) assert.ok(said.split("\n").includes(line), `${line} is not in:\n${said}`);
    assert.match(said, /c\.bnez a0,l\d+/);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
});
