// The back end with the engine as WebAssembly in a worker, so that a long answer does not stop the page. Nothing is fetched: the engine and the
// description are texts in base64 in scripts beside this one. Where a page cannot have a worker, the same code runs in the page.
"use strict";

// The worker: one instance of the engine for each choice of gen and features, the latest few of which are kept.
function isaglotWork(answer) {
  const KEPT = 3;
  const encoder = new TextEncoder(), decoder = new TextDecoder();
  let module = null, load = null, description = null;
  const instances = new Map();

  function bytesOf(base64) {
    if (Uint8Array.fromBase64) return Uint8Array.fromBase64(base64);
    const text = atob(base64);
    const bytes = new Uint8Array(text.length);
    for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
    return bytes;
  }

  // One question: frames, each with its length in 4 bytes before it.
  function ask(exports, question, frames) {
    const all = [encoder.encode(JSON.stringify(question)), ...frames];
    const length = all.reduce((sum, frame) => sum + 4 + frame.length, 0);
    const start = exports.request(length) >>> 0;
    const view = new DataView(exports.memory.buffer), room = new Uint8Array(exports.memory.buffer);
    let place = start;
    for (const frame of all) {
      view.setUint32(place, frame.length, true);
      room.set(frame, place + 4);
      place += 4 + frame.length;
    }
    const failed = exports.ask();
    const made = decoder.decode(new Uint8Array(exports.memory.buffer, exports.answer() >>> 0, exports.answer_length() >>> 0));
    if (!failed) return made;
    return JSON.stringify({ kind: "error", message: JSON.parse(made).map((p) => p.text).join("") });
  }

  // The engine for a choice, or what is wrong with the choice.
  function instance(choice) {
    // A choice of nothing is what is on at first: loading takes most of the time to the first answer.
    const key = choice && (choice.gen || choice.features) ? JSON.stringify([choice.gen, choice.features]) : "";
    let found = instances.get(key);
    if (!found) {
      found = new WebAssembly.Instance(module).exports;
      const question = { ...load };
      if (choice && choice.gen) question.gen = choice.gen;
      const changes = choice ? choice.features.split(",").filter((f) => f) : [];
      if (changes.length) question.features = [...(load.features || []), ...changes];
      const told = ask(found, question, description.length ? [description] : []);
      if (told.startsWith('{"kind":"error"')) return told;
      if (instances.size >= KEPT) instances.delete(instances.keys().next().value);
    } else {
      instances.delete(key);
    }
    instances.set(key, found);
    return found;
  }

  return (message) => {
    const { id, start, question, choice, frames } = message;
    if (start) {
      module = new WebAssembly.Module(bytesOf(start.engine));
      description = bytesOf(start.bytes);
      load = start.load;
      return;
    }
    let made;
    try {
      const engine = instance(choice);
      made = typeof engine === "string" ? engine : ask(engine, { do: "explore", ...question }, frames || []);
    } catch (cause) {
      // An instance that was stopped is of no use any more.
      instances.clear();
      made = JSON.stringify({ kind: "error", message: `the engine has failed: ${cause.message}` });
    }
    answer({ id, made });
  };
}

const isaglotBackend = (() => {
  const waiting = new Map();
  let last = 0;
  const done = ({ id, made }) => {
    waiting.get(id)(JSON.parse(made));
    waiting.delete(id);
  };

  let post;
  try {
    const source = `const work = (${isaglotWork})(postMessage); onmessage = (event) => work(event.data);`;
    const address = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
    const worker = new Worker(address);
    URL.revokeObjectURL(address);
    worker.onmessage = (event) => done(event.data);
    post = (message) => worker.postMessage(message);
  } catch {
    const work = isaglotWork((message) => setTimeout(() => done(message)));
    post = (message) => work(message);
  }
  post({ start: { engine: ISAGLOT_ENGINE, ...ISAGLOT_DESCRIPTION } });

  function ask(question, choice, frames) {
    return new Promise((resolve) => {
      const id = ++last;
      waiting.set(id, resolve);
      post({ id, question, choice, frames });
    });
  }

  const named = (told) => ({ ...told, name: ISAGLOT_DESCRIPTION.name || told.name });

  return {
    live: false,
    // What is on at first is what no choice says.
    status: async (choice) => {
      const [base, told] = await Promise.all([ask({ what: "status" }, null), ask({ what: "status" }, choice)]);
      if (told.kind === "error") return { ...named(base), version: 1, problems: told.message };
      return { ...named(base), generation: told.generation, version: 1, problems: "" };
    },
    ask: (text, choice) => ask({ what: "ask", text }, choice),
    typed: (text, choice) => ask({ what: "typed", text }, choice),
    next: (text, choice) => ask({ what: "next", text }, choice),
    list: (bytes, defs, first, choice) => ask({ what: "list", defs, first: first === null ? null : String(first) }, choice, [bytes]),
    mnemonics: (choice) => ask({ what: "mnemonics" }, choice),
    values: (table, number, choice) => ask({ what: "values", table, number: String(number) }, choice),
  };
})();
