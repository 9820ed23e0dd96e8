// The answer about a word: its text, its bits as a diagram, its fields, what it does, where more is said of it. Text, bits and fields of one
// name light up together, and each can be changed.
"use strict";

const COLOURS = 10;
const NEAR_WIDTH = 9; // pixels of a letter of a field's name, at most

let answer = null;

function show(made) {
  answer = made;
  const box = $("answer");
  box.dataset.kind = made.kind;
  $("start").hidden = made.kind !== "nothing";
  if (made.kind === "error") {
    say("");
    return box.replaceChildren(make("pre", { class: "problems", role: "alert", textContent: made.message }));
  }
  if (made.kind === "pattern") return box.replaceChildren(...candidates(made));
  if (made.kind === "nothing") return box.replaceChildren();
  box.replaceChildren(...word(made));
  fit();
  say(made.text ? `${made.word} is ${made.text}` : `${made.word} is not a valid instruction`);
}

// The fields that the text shows have colours; of the others, only the one that is pointed at.
function colour(path) {
  const shown = [...new Set((answer.spans || []).map((span) => span[0]))];
  const at = shown.indexOf(path);
  return at < 0 ? "" : `f${at % COLOURS}`;
}

function word(made) {
  const parts = [];
  const found = made.explain.match;
  if (found) parts.push(text(made));
  else parts.push(make("p", { class: "problems" }, made.explain.conflict ? "Two encodings match." : "Not a valid instruction."));
  if (made.explain.short) {
    const { short, is_short } = made.explain;
    const says = is_short ? `The short form ${short} stands for this long form.` : `Its short form is ${short}.`;
    parts.push(make("p", { id: "short", textContent: says }));
  }
  parts.push(diagram(made), copies(made));
  if (found) parts.push(make("div", { class: "pair answer-more" }, make("div", {}, fields(made)), make("div", {}, ...about(made, found))));
  if (made.explain.conflict) parts.push(make("p", {}, "They are: " + made.explain.conflict.map((e) => e.name + (e.at ? ` (${e.at})` : "")).join(", ")));
  if (made.explain.nearest) parts.push(nearest(made));
  return parts;
}

// The text, cut where fields stand in it.
function text(made) {
  const line = make("p", { class: "text", id: "text" });
  const letters = [...made.text];
  const spans = [...made.spans].sort((a, b) => a[1] - b[1] || b[2] - a[2]);
  let at = 0;
  for (const [path, start, end] of spans) {
    if (start < at) continue; // inside the one before
    line.append(letters.slice(at, start).join(""));
    line.append(make("span", { class: colour(path), "data-f": path, title: path }, letters.slice(start, end).join("")));
    at = end;
  }
  line.append(letters.slice(at).join(""));
  if (made.explain.match.errors) line.append(make("span", { class: "problems" }, " ; " + made.explain.match.errors));
  return line;
}

// The innermost field that has a bit.
function owner(made, bit) {
  const all = (made.fields || []).filter((f) => f.bits.includes(bit));
  return all.length ? all.reduce((a, b) => (b.bits.length <= a.bits.length ? b : a)) : null;
}

// Bits of a row: as many as there is room for.
function columns() {
  const room = $("answer").clientWidth;
  return room >= 1000 ? 32 : room >= 480 ? 16 : 8;
}

// ---- the diagram ----

// Rows of bits, each with its hex digits above and the names of its fields below.
function diagram(made) {
  const value = BigInt(made.word);
  const box = make("div", { class: "bits", role: "group", "aria-label": "Bits. Arrow keys move, Space flips." });
  const wrong = new Set(made.explain.nearest && made.explain.nearest.length ? made.explain.nearest[0].wrong_bits : []);
  const fixed = new Set(made.fixed || []);
  const wide = Math.min(columns(), made.width);
  for (let high = made.width; high > 0; high -= wide) {
    const low = Math.max(0, high - wide);
    const row = make("div", { class: "bit-row" });
    row.style.setProperty("--columns", high - low);
    const below = labels(made, high, low);
    row.style.setProperty("--levels", Math.max(1, ...below.map(([, , , level]) => level + 1)));
    for (let top = high; top > low; top = Math.floor((top - 1) / 4) * 4) {
      const bottom = Math.max(low, Math.floor((top - 1) / 4) * 4);
      const digit = Number((value >> BigInt(bottom)) & ((1n << BigInt(top - bottom)) - 1n)).toString(16);
      row.append(cell("hex", top - 1, bottom, high, low, 1, digit));
    }
    for (let bit = high - 1; bit >= low; bit--) row.append(cell("n", bit, bit, high, low, 2, String(bit)));
    for (let bit = high - 1; bit >= low; bit--) row.append(bitButton(made, value, bit, high, low, fixed, wrong));
    for (const [path, top, bottom, level] of below) {
      const alone = below.every(([, t, b, other]) => other <= level || b > top || t < bottom);
      row.append(nameCell(path, top, bottom, high, 4 + level, alone));
    }
    box.append(row);
  }
  const first = box.querySelector("button");
  if (first) first.tabIndex = 0;
  box.addEventListener("keydown", (event) => move(event, box, wide));
  box.addEventListener("focusin", (event) => {
    if (!event.target.dataset.bit) return;
    box.querySelectorAll("button[tabindex='0']").forEach((b) => { b.tabIndex = -1; });
    event.target.tabIndex = 0;
  });
  return box;
}

// A cell over some bits of a row; a gap stands before the first bit of a byte.
function cell(kind, top, bottom, high, low, line, content) {
  const element = make("span", { class: kind }, content);
  place(element, top, bottom, high, line);
  return element;
}

function place(element, top, bottom, high, line) {
  element.style.gridColumn = `${high - top} / span ${top - bottom + 1}`;
  element.style.gridRow = String(line);
  if (top % 8 === 7 && top !== high - 1) element.classList.add("byte");
}

function bitButton(made, value, bit, high, low, fixed, wrong) {
  const field = owner(made, bit);
  const on = (value >> BigInt(bit)) & 1n;
  const isFixed = fixed.has(bit);
  const kind = [field ? colour(field.path) || "plain" : "", isFixed ? "fixed" : "", wrong.has(bit) ? "wrong" : ""];
  const says = `bit ${bit}: ${on}` + (field ? `, ${field.path}` : "") + (isFixed ? ", decides" : "") + (wrong.has(bit) ? ", differs from the nearest" : "");
  const flip = () => set(value ^ (1n << BigInt(bit)), `[data-bit="${bit}"]`);
  const button = make("button", {
    type: "button", class: kind.join(" ").trim(), "data-bit": bit, "aria-label": says, title: says, tabIndex: -1, onclick: flip,
    ...(field ? { "data-f": field.path } : {}),
  }, String(on));
  place(button, bit, bit, high, 3);
  return button;
}

// The names below a row: those of the outer fields first, parts of these below them.
function labels(made, high, low) {
  const all = [];
  for (const field of made.fields || []) {
    const level = field.path.split(".").length - 1;
    const inside = field.bits.filter((bit) => bit < high && bit >= low);
    for (const [top, bottom] of segments(inside)) all.push([field.path, top, bottom, level]);
  }
  // Fields of one level that share bits stand below each other.
  const taken = new Map();
  return all.map(([path, top, bottom, level]) => {
    let line = level;
    const free = (at) => (taken.get(at) || []).every(([t, b]) => bottom > t || top < b);
    while (!free(line)) line++;
    taken.set(line, [...(taken.get(line) || []), [top, bottom]]);
    return [path, top, bottom, line];
  });
}

function nameCell(path, top, bottom, high, line, alone) {
  const name = path.split(".").pop();
  const element = make("span", { class: `name ${colour(path)}`.trim(), "data-f": path, title: `${path} ${top === bottom ? top : `${top}:${bottom}`}` }, make("span", {}, name));
  place(element, top, bottom, high, line);
  element.dataset.line = line;
  if (alone) element.dataset.alone = "";
  return element;
}

// A name that has no room stands upright below its bits; where nothing is below it, without moving the lines beside it.
function fit() {
  for (const name of document.querySelectorAll(".bit-row .name")) {
    const inner = name.firstChild;
    const upright = inner.textContent.length * NEAR_WIDTH > name.clientWidth;
    name.classList.toggle("upright", upright);
    name.style.gridRow = upright && "alone" in name.dataset ? `${name.dataset.line} / -1` : name.dataset.line;
  }
}

function move(event, box, wide) {
  const bit = Number(event.target.dataset.bit ?? NaN);
  if (Number.isNaN(bit)) return;
  const steps = { ArrowLeft: bit + 1, ArrowRight: bit - 1, ArrowUp: bit + wide, ArrowDown: bit - wide, Home: answer.width - 1, End: 0 };
  if (!(event.key in steps)) return;
  event.preventDefault();
  const next = box.querySelector(`[data-bit="${steps[event.key]}"]`);
  if (next) next.focus();
}

// Asks for another word, of the same width unless its text is given; the same thing has the focus after, or the box.
function set(value, focus, text) {
  $("query").value = text || "0x" + BigInt.asUintN(answer.width, value).toString(16).padStart(Math.ceil(answer.width / 4), "0");
  return ask().then(() => {
    (document.querySelector(focus) || $("query")).focus();
  });
}

// ---- the fields ----

// The bits alone, without those that are implied.
function raw(field, word) {
  return field.bits.reduce((sum, bit) => (sum << 1n) | ((word >> BigInt(bit)) & 1n), 0n);
}

const MOST_DECIMAL = 20; // bits of a number that is shown in decimal

// How the bits of fields are written; "" is what the description makes of each.
const BASES = [["", "as described"], ["decimal", "decimal"], ["signed", "signed"], ["hex", "hex"], ["binary", "binary"]];
let base = "";

function written(field, word) {
  const value = raw(field, word), width = field.bits.length;
  if (base === "decimal") return String(value);
  if (base === "signed") return String(BigInt.asIntN(width, value));
  if (base === "hex") return "0x" + value.toString(16);
  if (base === "binary") return "0b" + value.toString(2).padStart(width, "0");
  if (field.kind === "signed" && width > 1) return String(BigInt.asIntN(width, value));
  if (field.kind === "hex" || width > MOST_DECIMAL) return "0x" + value.toString(16);
  return String(value);
}

// The bits that a text means for a field, or what is wrong with it. Signed, decimal, hex, binary, and the names of values.
function meant(field, text, names) {
  const width = field.bits.length;
  const plain = text.trim().replaceAll("_", "");
  const named = (names || []).find(([, display, name]) => display === plain || (name && name === plain));
  let value = named ? BigInt(named[0]) : null;
  if (value === null) {
    const number = /^([+-]?)(0x[0-9a-f]+|0b[01]+|[0-9]+)$/i.exec(plain);
    if (!number) return { wrong: `“${text.trim()}” is not a value of ${field.path}: write a number (12, -3, 0x1f, 0b101)${names ? " or one of its names" : ""}.` };
    value = BigInt(number[2]) * (number[1] === "-" ? -1n : 1n);
  }
  const most = (1n << BigInt(width)) - 1n, least = width > 1 ? -(1n << BigInt(width - 1)) : 0n;
  if (value > most || value < least) {
    return { wrong: `${plain} does not fit into the ${width} ${width === 1 ? "bit" : "bits"} of ${field.path}: ${least} to ${most} (0x${most.toString(16)}).` };
  }
  return { value: BigInt.asUintN(width, value) };
}

const tables = new Map(); // names of values, by table and number

async function namesOf(field) {
  const [table, id] = field.enum !== undefined ? ["enum", field.enum] : field.file !== undefined ? ["file", field.file] : [];
  if (!table) return null;
  const key = `${table} ${id} ${version}`;
  if (!tables.has(key)) tables.set(key, await isaglotBackend.values(table, id, choices()));
  return tables.get(key)?.values || null;
}

// The name of an enum's value, where the text does not say it.
function called(field, value) {
  const place = make("span", { class: "quiet called" });
  namesOf(field).then((names) => {
    const [, , name] = (names || []).find(([number]) => BigInt(number) === value) || [];
    if (name && name !== field.text) place.textContent = name;
  });
  return place;
}

function fields(made) {
  const value = BigInt(made.word);
  const rows = made.fields.map((f) => {
    const depth = f.path.split(".").length - 1;
    const said = make("span", { class: "problems", role: "alert" });
    const change = async (event) => {
      const input = event.target;
      const { value: wanted, wrong } = meant(f, input.value, await namesOf(f));
      said.textContent = wrong || "";
      input.toggleAttribute("aria-invalid", Boolean(wrong));
      if (wrong) return input.setAttribute("aria-invalid", "true");
      let changed = value;
      f.bits.forEach((bit, n) => {
        const on = (wanted >> BigInt(f.bits.length - 1 - n)) & 1n;
        changed = on ? changed | (1n << BigInt(bit)) : changed & ~(1n << BigInt(bit));
      });
      set(changed, `[data-field="${CSS.escape(f.path)}"]`);
    };
    const offer = async (event) => {
      const names = await namesOf(f);
      const input = event.target;
      if (!names || input.nextElementSibling?.tagName === "DATALIST") return;
      const id = `values-${CSS.escape(f.path)}`;
      input.after(make("datalist", { id }, ...names.map(([n, display, name]) => make("option", { value: display || name || String(n) }, `${n}`))));
      input.setAttribute("list", id);
    };
    const edit = f.bits.length
      ? make("input", { value: written(f, value), size: 8, "data-field": f.path, "aria-label": `bits of ${f.path}`, onchange: change, onfocus: offer })
      : make("span", { class: "quiet" }, "derived");
    const name = make("span", { class: `f ${colour(f.path)}`.trim(), "data-f": f.path }, f.path.split(".").pop());
    const reads = make("td", {}, make("code", {}, f.text));
    if (f.enum !== undefined) reads.append(" ", called(f, raw(f, value)), " ", make("small", {}, pageLink("enum", f.enum, "values")));
    if (f.file !== undefined) reads.append(" ", make("small", {}, pageLink("file", f.file, "registers")));
    if (f.space !== undefined) reads.append(" ", make("small", {}, pageLink("space", f.space, "forms")));
    if (f.doc) reads.append(make("p", { class: "quiet" }, f.doc));
    const head = make("th", { scope: "row", title: f.path }, name);
    if (depth) head.style.paddingLeft = `${0.7 + depth}em`;
    return make("tr", {}, head, make("td", {}, runs(f.bits)), make("td", {}, edit, said), reads, make("td", {}, f.value));
  });
  if (!rows.length) return make("p", { class: "quiet" }, "It has no fields.");
  const heads = ["Field", "Bits", "Its bits", "Reads as", "Value"].map((h) => make("th", { scope: "col" }, h));
  const rewrite = (event) => {
    base = event.target.value;
    show(answer);
    $("base").focus();
  };
  const choice = make("select", { id: "base", onchange: rewrite }, ...BASES.map(([value, name]) => make("option", { value, selected: value === base }, name)));
  const table = make("div", { class: "wide", role: "region", "aria-label": "Fields", tabIndex: 0 }, make("table", { id: "fields" }, make("caption", {}, "Fields"), make("thead", {}, make("tr", {}, ...heads)), make("tbody", {}, ...rows)));
  return make("div", {}, table, make("p", { class: "base quiet" }, make("label", { htmlFor: "base" }, "Write bits "), choice));
}

// ---- beside the fields ----

function about(made, found) {
  const { id, name, mnemonic, doc, semantics, meta } = made.about;
  const title = mnemonic && mnemonic !== name ? `${mnemonic} (${name})` : name;
  const parts = [make("h2", { id: "what" }, pageLink("encoding", id, title)), make("nav", { id: "neighbours", class: "neighbours", "aria-label": "Neighbours" }, ...neighbours(id))];
  for (const paragraph of (doc || "").split(/\n\s*\n/).filter((p) => p.trim())) parts.push(make("p", {}, paragraph));
  if (semantics) parts.push(make("h3", {}, "What it does"), make("pre", { tabIndex: 0, id: "semantics" }, semantics));
  const facts = Object.entries(meta || {});
  if (facts.length) parts.push(make("dl", { class: "facts" }, ...facts.flatMap(([k, v]) => [make("dt", {}, k), make("dd", {}, v)])));
  parts.push(why(found));
  return parts;
}

// The instructions before and after one in the order of the mnemonics, each with a word of it.
function neighbours(id) {
  const all = names.flatMap(([mnemonic, rows]) => rows.map(([number, name, example]) => ({ number, example, title: mnemonic === name ? name : `${mnemonic} (${name})` })));
  const at = all.findIndex((one) => one.number === id);
  if (at < 0) return [];
  const button = (one, mark, text) => make("button", { type: "button", id: mark, onclick: () => set(BigInt(one.example), "#" + mark, one.example) }, text);
  const before = all[at - 1], after = all[at + 1];
  return [before ? button(before, "prev", `← ${before.title}`) : null, after ? button(after, "next-one", `${after.title} →`) : null].filter((one) => one);
}

function why(found) {
  const list = make("ul", {});
  list.append(make("li", {}, "encoding ", make("b", {}, found.encoding.name), found.encoding.at ? ` at ${found.encoding.at}` : ""));
  list.append(make("li", {}, "decided by ", make("code", { class: "break" }, found.encoding.pattern)));
  for (const one of found.cases.filter((c) => c.guard !== null || c.shown)) {
    const guard = one.guard === null ? `default of ${one.owner}` : `if ${one.guard.split(/\s+/).join(" ")}: ${one.value === 0 ? "no" : "yes"}`;
    list.append(make("li", {}, guard + (one.shown ? ", and the text is from here" : "")));
  }
  return make("details", { id: "why" }, make("summary", {}, "Why it decodes so"), list);
}

function nearest(made) {
  const value = BigInt(made.word);
  const items = made.explain.nearest.map((near) => {
    const other = near.wrong_bits.reduce((word, bit) => word ^ (1n << BigInt(bit)), value);
    return make("li", {}, make("button", { type: "button", onclick: () => set(other, "#query") }, near.encoding.mnemonic || near.encoding.name),
      ` if ${near.wrong_bits.length === 1 ? "bit" : "bits"} ${runs([...near.wrong_bits].sort((a, b) => b - a))} were different${near.encoding.at ? ` (${near.encoding.at})` : ""}`);
  });
  return make("div", { class: "near" }, make("h2", {}, "The nearest"), make("ul", {}, ...items));
}

function candidates(made) {
  const items = made.candidates.map((c) => {
    const take = () => { $("query").value = c.example; ask(); $("query").focus(); };
    return make("tr", {}, make("td", {}, make("button", { type: "button", onclick: take }, c.mnemonic || c.name)), make("td", {}, pageLink("encoding", c.id, c.name)), make("td", {}, make("code", {}, c.pattern)));
  });
  const more = made.count > made.candidates.length ? `, of which ${made.candidates.length} are shown` : "";
  const heads = ["Take an example", "Encoding", "Bits"].map((h) => make("th", { scope: "col" }, h));
  return [make("p", {}, `${made.count} encodings have words of `, make("code", { class: "break" }, made.pattern), more),
    make("div", { class: "wide candidates", role: "region", "aria-label": "Encodings", tabIndex: 0 }, make("table", {}, make("thead", {}, make("tr", {}, ...heads)), make("tbody", {}, ...items)))];
}

function copies(made) {
  const digits = made.word.slice(2);
  const bytes = made.bytes.split(" ").map((b) => "0x" + b);
  const forms = [["hex", made.word], ["bytes", made.bytes], ["C", `{ ${bytes.join(", ")} }`], ["Rust", `[${bytes.join(", ")}]`],
    [made.width <= 16 ? ".half" : made.width <= 32 ? ".word" : ".byte", made.width <= 32 ? `${made.width <= 16 ? ".half" : ".word"} 0x${digits}` : `.byte ${bytes.join(", ")}`]];
  if (made.text) forms.push(["text", made.text]);
  const copy = (name, value) => navigator.clipboard.writeText(value).then(() => say(`copied as ${name}: ${value}`), () => say("The browser does not allow copying here."));
  const buttons = forms.map(([name, value]) => make("button", { type: "button", title: value, onclick: () => copy(name, value) }, name));
  return make("p", { class: "copy" }, make("span", { class: "quiet" }, "Copy as "), ...buttons);
}

// ---- together ----

// One lights up, all of the same field do; a part lights the whole that it is in.
function light(event, on) {
  const field = event.target.closest && event.target.closest("[data-f]");
  if (!field) return;
  const path = field.dataset.f;
  for (const other of document.querySelectorAll("[data-f]")) {
    const same = other.dataset.f === path || other.dataset.f.startsWith(path + ".") || path.startsWith(other.dataset.f + ".");
    if (same) other.classList.toggle("lit", on);
  }
}
for (const [event, on] of [["mouseover", true], ["mouseout", false], ["focusin", true], ["focusout", false]]) {
  document.addEventListener(event, (e) => light(e, on));
}
