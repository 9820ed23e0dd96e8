// Isaglot for Node: the engine and the descriptions are files beside this one.
import { readFile } from "node:fs/promises";
import { make } from "./engine.js";

export { IsaglotError } from "./engine.js";
export const { load } = make((name) => readFile(new URL(name, import.meta.url)));
