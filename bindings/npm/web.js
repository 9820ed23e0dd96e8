// Isaglot for browsers: the engine and the descriptions are fetched from beside this file, when they are first asked for.
import { make } from "./engine.js";

export { IsaglotError } from "./engine.js";
export const { load } = make(async (name) => {
  // Written out, so that bundlers see which files there are.
  const urls = {
    "./isaglot.wasm": new URL("./isaglot.wasm", import.meta.url),
    "./isa/minnow.isa": new URL("./isa/minnow.isa", import.meta.url),
    "./isa/riscv.isa": new URL("./isa/riscv.isa", import.meta.url),
    "./isa/trio.isa": new URL("./isa/trio.isa", import.meta.url),
  };
  const reply = await fetch(urls[name]);
  if (!reply.ok) throw new Error(`${urls[name]}: ${reply.status} ${reply.statusText}`);
  return new Uint8Array(await reply.arrayBuffer());
});
