// What stands on the page before anything is asked: examples, what can be typed, and the mnemonics.
"use strict";

const MOST_NAMES = 400; // mnemonics that are shown at once; a search finds the others
let names = []; // [mnemonic, [[id, name, example], …]]

async function begin() {
  const number = version;
  const told = await isaglotBackend.mnemonics(choices());
  if (number !== version || !Array.isArray(told)) return;
  names = told;
  const examples = pick(names, 3);
  const shown = examples.map(([mnemonic, [[, , example]]]) => make("button", { type: "button", class: "example", onclick: take(example) }, make("code", {}, example), make("span", { class: "quiet" }, ` ${mnemonic}`)));
  const bits = examples.length ? patternOf(examples[0][1][0][2]) : null;
  const list = make("ul", { id: "names" });
  const count = make("p", { id: "names-count", class: "quiet", role: "status" });
  const find = make("input", { id: "find", type: "search", autocomplete: "off", oninput: () => narrow(list, count, find.value) });
  $("start").replaceChildren(
    make("h2", {}, "Try one"), make("p", { class: "examples" }, ...shown),
    make("ul", { class: "hints" },
      make("li", {}, "A word shows its text, its bits and its fields; every bit and every field can be changed."),
      make("li", {}, "Assembly shows the word that it makes, or what is wrong with it."),
      bits ? make("li", {}, make("code", {}, "?"), " stands for any bit or hex digit: ", make("button", { type: "button", class: "example", onclick: take(bits) }, make("code", {}, bits)), " shows which instructions there are.") : null,
      make("li", {}, "A file that is dropped here is listed below.")),
    make("h2", {}, `${names.length} mnemonics`), make("label", { for: "find" }, "Find one "), find, count, list);
  narrow(list, count, "");
  if (answer && answer.about) $("neighbours")?.replaceChildren(...neighbours(answer.about.id));
}

// Asks for a text; the box has the focus, since what was pressed goes away.
function take(text) {
  return () => { $("query").value = text; ask(); $("query").focus(); };
}

// Some of a list, spread over it.
function pick(all, count) {
  const step = Math.max(1, Math.floor(all.length / (count + 1)));
  return all.length <= count ? all : Array.from({ length: count }, (_, at) => all[(at + 1) * step]);
}

// The last byte of a word open.
function patternOf(word) {
  return word.slice(0, -2) + "??";
}

function narrow(list, count, part) {
  const wanted = part.trim().toLowerCase();
  const found = names.filter(([mnemonic, all]) => mnemonic.toLowerCase().includes(wanted) || all.some(([, name]) => name.toLowerCase().includes(wanted)));
  found.sort((a, b) => Number(b[0].toLowerCase().startsWith(wanted)) - Number(a[0].toLowerCase().startsWith(wanted)));
  list.replaceChildren(...found.slice(0, MOST_NAMES).map(([mnemonic, all]) => make("li", {}, make("button", {
    type: "button", title: all.map(([, name]) => name).join(", "), onclick: () => { take(all[0][2])(); scrollTo(0, 0); },
  }, mnemonic))));
  count.textContent = found.length > MOST_NAMES ? `${found.length} found, ${MOST_NAMES} shown` : wanted ? `${found.length} found` : "";
}
