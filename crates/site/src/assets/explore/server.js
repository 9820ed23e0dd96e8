// The back end that asks the server which the page comes from.
"use strict";

const isaglotBackend = (() => {
  function query(choice, more = {}) {
    const all = new URLSearchParams(more);
    if (choice) {
      all.set("gen", choice.gen);
      all.set("features", choice.features);
    }
    return all;
  }

  async function json(path, options) {
    const reply = await fetch(path, options);
    return reply.ok ? reply.json() : { kind: "error", message: await reply.text() };
  }

  return {
    live: true, // the description can change
    status: (choice) => json("/api/status?" + query(choice)),
    ask: (text, choice) => json("/api/ask?" + query(choice, { q: text })),
    typed: (text, choice) => json("/api/typed?" + query(choice), { method: "POST", body: text }),
    next: (text, choice) => json("/api/next?" + query(choice, { q: text })),
    list: (bytes, defs, first, choice) => json("/api/list?" + query(choice, { defs: defs ? 1 : 0, ...(first === null ? {} : { first }) }), { method: "POST", body: bytes }),
    mnemonics: (choice) => json("/api/mnemonics?" + query(choice)),
    values: (table, number, choice) => json("/api/values?" + query(choice, { table, number })),
  };
})();
