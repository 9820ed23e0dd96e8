// What tests share: the program `isaglot`, which the answers are held against, and random numbers that are the same in every run.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

// The root of the project, and the package as `cargo xtask npm` has made it.
export const root = process.env.ISAGLOT_ROOT ?? fileURLToPath(new URL("../../..", import.meta.url));
export const program = process.env.ISAGLOT_BIN ?? `${root}/target/debug/isaglot`;
export const corpus = process.env.ISAGLOT_CORPUS ?? `${root}/../shared/corpus`;
export const full = Boolean(process.env.ISAGLOT_FULL);

// A test is skipped without what it needs, unless everything has to be there.
export function lacks(...paths) {
  const missing = paths.filter((path) => !existsSync(path));
  if (missing.length === 0) return false;
  if (process.env.ISAGLOT_REQUIRE_PEERS) throw new Error(`missing: ${missing.join(", ")}`);
  return `missing: ${missing.join(", ")}`;
}

/** What the program prints. */
export function run(args, input) {
  return execFileSync(program, args, { input, cwd: root, maxBuffer: 1 << 30, stdio: ["pipe", "pipe", "ignore"] });
}

/** Numbers below 2^32, the same for the same seed. */
export function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let x = state;
    x = Math.imul(x ^ (x >>> 16), 0x85ebca6b);
    x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
    return (x ^ (x >>> 16)) >>> 0;
  };
}

/** An array in pieces. */
export function pieces(all, size) {
  const out = [];
  for (let at = 0; at < all.length; at += size) out.push(all.slice(at, at + size));
  return out;
}
