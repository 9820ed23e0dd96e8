// The page of `isaglot explore`: asks the server, draws the answer, ties text, bits and fields together. What is asked
// stands in the address, so that a link brings it back.
"use strict";

const $ = (id) => document.getElementById(id);
const COLOURS = 10;
const ROW = 32;
const POLL_MS = 1000;

let version = null; // of the description that the answer is from
let asked = 0; // the latest question; older answers are dropped
let answer = null;

// Elements: name, properties, children.
function make(name, properties, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties || {})) {
    if (key === "class") element.className = value;
    else if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key in element && key !== "list") element[key] = value;
    else element.setAttribute(key, value);
  }
  element.append(...children.filter((c) => c !== null && c !== undefined));
  return element;
}

// ---- what is chosen, and the address ----

function state() {
  return new URLSearchParams(location.hash.slice(1));
}

function remember() {
  const kept = new URLSearchParams();
  if ($("query").value) kept.set("q", $("query").value);
  if ($("gen").value) kept.set("gen", $("gen").value);
  const features = changedFeatures();
  if (features) kept.set("features", features);
  const hash = "#" + kept;
  if (hash !== location.hash && !(hash === "#" && location.hash === "")) history.replaceState(null, "", hash);
}

function changedFeatures() {
  const boxes = [...$("features").querySelectorAll("input")];
  return boxes.filter((b) => b.checked !== b.defaultChecked).map((b) => (b.checked ? "+" : "-") + b.name).join(",");
}

function choices() {
  const chosen = new URLSearchParams();
  chosen.set("gen", $("gen").value);
  chosen.set("features", changedFeatures());
  return chosen;
}

// ---- asking ----

async function ask() {
  remember();
  const number = ++asked;
  const query = choices();
  query.set("q", $("query").value);
  const reply = await fetch("api/ask?" + query);
  const made = reply.ok ? await reply.json() : { kind: "error", message: await reply.text() };
  if (number === asked) show(made);
}

async function status() {
  const first = version === null;
  const reply = await fetch("api/status" + (first ? "" : "?" + choices())).catch(() => null);
  if (!reply || !reply.ok) return;
  const told = await reply.json();
  if (told.version === version) return;
  version = told.version;
  $("broken").hidden = told.usable && !String(version).endsWith("+");
  $("broken").textContent = told.usable ? "The description has errors; the last good one is shown.\n" + told.problems : told.problems;
  $("warnings-box").hidden = !told.problems;
  $("warnings").textContent = told.problems || "";
  if (!told.usable) return;
  $("name").textContent = told.name || "isaglot";
  document.title = (told.name ? told.name + " · " : "") + "isaglot explore";
  const wanted = first ? state().get("gen") : $("gen").value;
  const gens = told.gens.map((g) => [g.name, g.name]);
  const options = gens.length ? gens : [[String(told.generation), String(told.generation)]];
  if (wanted && !options.some((o) => o[0] === wanted)) options.push([wanted, wanted]);
  $("gen").replaceChildren(...options.map(([value, text]) => make("option", { value, textContent: text })));
  const current = told.gens.find((g) => g.value === told.generation);
  $("gen").value = wanted || (current ? current.name : options[0][0]);
  const switched = (first ? state().get("features") : changedFeatures()) || "";
  $("features").replaceChildren(...told.features.map((f) => {
    const box = make("input", { type: "checkbox", name: f.name, defaultChecked: f.default, onchange: again });
    if (switched.split(",").includes("+" + f.name)) box.checked = true;
    if (switched.split(",").includes("-" + f.name)) box.checked = false;
    return make("label", { title: f.doc }, box, " " + f.name);
  }));
  $("features-box").hidden = told.features.length === 0;
  if (first && state().get("q")) $("query").value = state().get("q");
  again();
}

// For another gen, other features, another description.
function again() {
  ask();
  list();
}

// ---- the answer ----

function show(made) {
  answer = made;
  const box = $("answer");
  box.dataset.kind = made.kind;
  if (made.kind === "error") return box.replaceChildren(make("pre", { class: "problems", textContent: made.message }));
  if (made.kind === "pattern") return box.replaceChildren(...candidates(made));
  if (made.kind === "nothing") return box.replaceChildren();
  box.replaceChildren(...word(made));
}

function colour(path) {
  const at = answer.fields.findIndex((f) => f.path === path);
  return at < 0 ? "" : ` f f${at % COLOURS}`;
}

function word(made) {
  const parts = [];
  const found = made.explain.match;
  if (found) parts.push(text(made));
  else parts.push(make("p", { class: "problems", textContent: made.explain.conflict ? "Two encodings match." : "No instruction." }));
  if (made.explain.short) {
    const { short, is_short } = made.explain;
    const says = is_short ? `The short form ${short} stands for this long form.` : `Its short form is ${short}.`;
    parts.push(make("p", { id: "short", textContent: says }));
  }
  parts.push(make("div", { class: "wide" }, bits(made)), copies(made));
  if (found) parts.push(why(found), fields(made));
  if (made.explain.conflict) parts.push(make("p", {}, "They are: " + made.explain.conflict.map((e) => `${e.name} (${e.at})`).join(", ")));
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
    line.append(make("span", { class: colour(path).trim(), "data-f": path, title: path }, letters.slice(start, end).join("")));
    at = end;
  }
  line.append(letters.slice(at).join(""));
  if (made.explain.match && made.explain.match.errors) line.append(make("span", { class: "problems" }, " ; " + made.explain.match.errors));
  return line;
}

// The innermost field that has a bit.
function owner(made, bit) {
  const all = (made.fields || []).filter((f) => f.bits.includes(bit));
  return all.length ? all.reduce((a, b) => (b.bits.length <= a.bits.length ? b : a)) : null;
}

function bits(made) {
  const value = BigInt(made.word);
  const grid = make("div", { class: "bits", role: "group", "aria-label": "Bits; press one to flip it" });
  grid.style.setProperty("--columns", Math.min(ROW, made.width));
  const wrong = new Set(made.explain.nearest && made.explain.nearest.length ? made.explain.nearest[0].wrong_bits : []);
  for (let high = made.width; high > 0; high -= ROW) {
    const row = [];
    for (let bit = high - 1; bit >= Math.max(0, high - ROW); bit--) row.push(bit);
    for (const bit of row) grid.append(make("span", { class: "n", textContent: String(bit) }));
    for (const bit of row) {
      const field = owner(made, bit);
      const on = (value >> BigInt(bit)) & 1n;
      const fixed = (made.fixed || []).includes(bit);
      const kind = field ? colour(field.path).trim() : fixed ? "fixed" : "";
      const says = `bit ${bit}: ${on}` + (field ? `, ${field.path}` : fixed ? ", decides" : "");
      const flip = () => set(value ^ (1n << BigInt(bit)), `[data-bit="${bit}"]`);
      grid.append(make("button", {
        type: "button", class: kind + (wrong.has(bit) ? " wrong" : ""), "data-bit": bit, "aria-label": says, title: says, onclick: flip,
        ...(field ? { "data-f": field.path } : {}),
      }, String(on)));
    }
  }
  return grid;
}

// Asks for another word of the same width; the same thing has the focus after.
function set(value, focus) {
  $("query").value = "0x" + BigInt.asUintN(answer.width, value).toString(16).padStart(Math.ceil(answer.width / 4), "0");
  ask().then(() => {
    const again = focus && document.querySelector(focus);
    if (again) again.focus();
  });
}

function why(found) {
  const list = make("ul", {});
  list.append(make("li", {}, "encoding ", make("b", {}, found.encoding.name), ` at ${found.encoding.at}`));
  list.append(make("li", {}, "decided by ", make("code", {}, found.encoding.pattern)));
  for (const one of found.cases.filter((c) => c.guard !== null || c.shown)) {
    const guard = one.guard === null ? `default of ${one.owner}` : `if ${one.guard.split(/\s+/).join(" ")}: ${one.value === 0 ? "no" : "yes"}`;
    list.append(make("li", {}, guard + (one.shown ? ", and the text is from here" : "")));
  }
  return make("details", { id: "why" }, make("summary", {}, "Why it decodes so"), list);
}

function fields(made) {
  const rows = made.fields.map((f, at) => {
    const change = (event) => {
      let wanted;
      try { wanted = BigInt(event.target.value.trim() || "?"); } catch { return event.target.setAttribute("aria-invalid", "true"); }
      let value = BigInt(made.word);
      f.bits.forEach((bit, n) => {
        const on = (wanted >> BigInt(f.bits.length - 1 - n)) & 1n;
        value = on ? value | (1n << BigInt(bit)) : value & ~(1n << BigInt(bit));
      });
      set(value, `[data-field="${CSS.escape(f.path)}"]`);
    };
    // The bits alone, without those that are implied.
    const raw = "0x" + f.bits.reduce((sum, bit) => (sum << 1n) | ((BigInt(made.word) >> BigInt(bit)) & 1n), 0n).toString(16);
    const edit = f.bits.length ? make("input", { value: raw, "data-field": f.path, "aria-label": "bits of " + f.path, onchange: change }) : "derived";
    return make("tr", {}, make("th", { scope: "row" }, make("span", { class: `f f${at % COLOURS}`, "data-f": f.path }, f.path)),
      make("td", {}, runs(f.bits)), make("td", {}, edit), make("td", {}, f.value), make("td", {}, make("code", {}, f.text)));
  });
  const heads = ["Field", "Bits", "Bits' value", "Value", "Text"].map((h) => make("th", { scope: "col" }, h));
  return make("div", { class: "wide" }, make("table", { id: "fields" }, make("caption", {}, "Fields"), make("thead", {}, make("tr", {}, ...heads)), make("tbody", {}, ...rows)));
}

// `31:25 7` from a list of bits.
function runs(bits) {
  const parts = [];
  for (const bit of bits) {
    const last = parts[parts.length - 1];
    if (last && last[1] === bit + 1) last[1] = bit;
    else parts.push([bit, bit]);
  }
  return parts.map(([high, low]) => (high === low ? high : `${high}:${low}`)).join(" ");
}

function nearest(made) {
  const value = BigInt(made.word);
  const items = made.explain.nearest.map((near) => {
    const other = near.wrong_bits.reduce((word, bit) => word ^ (1n << BigInt(bit)), value);
    return make("li", {}, make("button", { type: "button", onclick: () => set(other) }, near.encoding.mnemonic || near.encoding.name),
      ` if ${near.wrong_bits.length === 1 ? "bit" : "bits"} ${runs([...near.wrong_bits].sort((a, b) => b - a))} were different (${near.encoding.at})`);
  });
  return make("div", { class: "near" }, make("h2", {}, "The nearest"), make("ul", {}, ...items));
}

function candidates(made) {
  const items = made.candidates.map((c) => {
    const take = () => { $("query").value = c.example; ask(); };
    return make("tr", {}, make("td", {}, make("button", { type: "button", onclick: take }, c.mnemonic || c.name)), make("td", {}, c.name), make("td", {}, make("code", {}, c.pattern)));
  });
  const more = made.count > made.candidates.length ? `, of which ${made.candidates.length} are shown` : "";
  return [make("p", {}, `${made.count} encodings have words of `, make("code", {}, made.pattern), more),
    make("div", { class: "wide candidates" }, make("table", {}, make("tbody", {}, ...items)))];
}

function copies(made) {
  const digits = made.word.slice(2);
  const bytes = made.bytes.split(" ").map((b) => "0x" + b);
  const forms = [["hex", made.word], ["bytes", made.bytes], ["C", `{ ${bytes.join(", ")} }`], ["Rust", `[${bytes.join(", ")}]`],
    [made.width <= 16 ? ".half" : made.width <= 32 ? ".word" : ".byte", made.width <= 32 ? `${made.width <= 16 ? ".half" : ".word"} 0x${digits}` : `.byte ${bytes.join(", ")}`]];
  if (made.text) forms.push(["text", made.text]);
  const buttons = forms.map(([name, value]) => make("button", { type: "button", title: value, onclick: () => navigator.clipboard.writeText(value) }, "copy as " + name));
  return make("p", { class: "copy" }, ...buttons);
}

// ---- a whole program ----

const SVG = "http://www.w3.org/2000/svg";
const GUTTER = 96; // where arrows leave and enter the rows
const LANE = 7;
const MOST_EDGES = 400; // ways between blocks that are drawn at once

async function list() {
  const file = $("file").files[0];
  if (!file) return;
  const reply = await fetch("api/list?" + choices(), { method: "POST", body: file });
  const box = $("listing");
  if (!reply.ok) return box.replaceChildren(make("p", { class: "problems" }, await reply.text()));
  const made = await reply.json();
  if (made.kind !== "list") return box.replaceChildren(make("pre", { class: "problems" }, made.message || made.text));
  const elements = made.listing.elems;
  const symbols = new Map(elements.filter((e) => e.kind === "L").map((e) => [e.id, e.symbol]));
  const names = (ids) => (ids || []).map((id) => symbols.get(id) || id).join(" ");
  const rows = elements.map((e) => (e.kind === "L" ? block(e, names) : instruction(e)));
  const cut = made.elements > elements.length ? make("p", {}, `The first ${elements.length} of ${made.elements} lines.`) : null;
  const heads = ["", "Word", "Instruction", "Defined by, used by", "Live bytes"].map((h) => make("th", { scope: "col" }, h));
  const table = make("table", {}, make("thead", {}, make("tr", {}, ...heads)), make("tbody", {}, ...rows));
  box.replaceChildren(...[make("div", { class: "flow" }, canvas(), table), cut].filter((x) => x));
  ways(elements);
}

function drawing(name, attributes, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

// Where arrows are drawn, left of the rows: the ways between blocks, and the links of the row that is looked at.
function canvas() {
  const heads = ["way", "def", "use"].map((kind) => drawing("marker", {
    id: `head-${kind}`, class: kind, viewBox: "0 0 6 6", refX: 6, refY: 3, markerWidth: 7, markerHeight: 7, orient: "auto",
  }, drawing("path", { d: "M0,0 L6,3 L0,6 z" })));
  return drawing("svg", { id: "arrows", "aria-hidden": "true" }, drawing("defs", {}, ...heads),
    drawing("g", { id: "ways" }), drawing("g", { id: "links" }));
}

function middle(row) {
  return row.offsetTop + row.offsetHeight / 2;
}

// An arrow from a row to another, the further left the longer it is.
function arrow(from, to, kind, lane) {
  const left = Math.max(4, GUTTER - 14 - LANE * lane);
  // One that leads to its own row is a loop beside it.
  const own = from === to ? 5 : 0;
  const [y, end] = [middle(from) - own, middle(to) + own];
  return drawing("path", { class: kind, d: `M${GUTTER},${y} C${left},${y} ${left},${end} ${GUTTER},${end}`, "marker-end": `url(#head-${kind})` });
}

// The ways between blocks, but for those that just go on.
function ways(elements) {
  const table = $("arrows").nextElementSibling;
  $("arrows").setAttribute("height", table.offsetHeight);
  const last = new Map(), first = new Map();
  let open = null;
  for (const e of elements) {
    if (e.kind === "L") open = e.id;
    else {
      if (!first.has(open)) first.set(open, e.id);
      last.set(open, e.id);
    }
  }
  const edges = elements.filter((e) => e.kind === "L").flatMap((l) => (l.succs || []).map((to) => [last.get(l.id), first.get(to)]));
  const drawn = edges.filter(([from, to]) => $("i" + from) && $("i" + to) && to !== from + 1).slice(0, MOST_EDGES);
  const lane = (from, to) => Math.min(9, Math.floor(Math.log2(Math.abs(to - from) + 1)));
  $("ways").replaceChildren(...drawn.map(([from, to]) => arrow($("i" + from), $("i" + to), "way", lane(from, to))));
}

// Marks a row, what defines its sources and what uses its results, and draws arrows between them.
function look(inst) {
  const [defs, uses] = links(inst);
  for (const name of ["here", "def", "use"]) document.querySelectorAll(`#listing tr.${name}`).forEach((row) => row.classList.remove(name));
  const here = $("i" + inst.id);
  const rows = (ids) => ids.map((id) => $("i" + id)).filter((row) => row);
  rows(defs).forEach((row) => row.classList.add("def"));
  rows(uses).forEach((row) => row.classList.add("use"));
  here.classList.add("here");
  const lane = (row) => Math.min(10, 2 + Math.floor(Math.abs(row.rowIndex - here.rowIndex) / 3));
  $("links").replaceChildren(...rows(defs).map((row) => arrow(row, here, "def", lane(row))), ...rows(uses).map((row) => arrow(here, row, "use", lane(row))));
}

function block(label, names) {
  const from = label.preds ? ` ← ${names(label.preds)}` : "";
  const to = label.succs ? ` → ${names(label.succs)}` : "";
  return make("tr", { class: "block" }, make("th", { colSpan: 5, scope: "rowgroup" }, label.symbol, make("span", {}, from + to)));
}

// What defines the sources and uses the results.
function links(inst) {
  const defs = new Set(), uses = new Set();
  const take = (operand) => {
    for (const key of ["defs", "adefs", "sdefs", "sdefs2"]) (operand[key] || []).forEach((id) => defs.add(id));
    (operand.uses || []).forEach((id) => uses.add(id));
  };
  [inst.dst, inst.implicit, inst.pred, inst.fm, ...(inst.srcs || [])].filter((o) => o).forEach(take);
  const sorted = (ids) => [...ids].sort((a, b) => a - b);
  return [sorted(defs), sorted(uses)];
}

function instruction(inst) {
  const [defs, uses] = links(inst);
  const live = Object.entries(inst.liveTotals || {}).filter(([, n]) => n > 0).map(([f, n]) => `${f} ${n}`).join(" ");
  const take = () => { $("query").value = "0x" + (inst.encoding || "").replaceAll("`", "").replaceAll("0x", ""); ask(); scrollTo(0, 0); };
  return make("tr", { id: "i" + inst.id, onmouseenter: () => look(inst) },
    make("td", { class: "dim" }, String(inst.id)), make("td", { class: "dim" }, inst.encoding || ""),
    make("td", { class: "pick", tabIndex: 0, title: "Take this word apart", onclick: take, onkeydown: (e) => e.key === "Enter" && take(), onfocus: () => look(inst) }, inst.comment || inst.op),
    make("td", { class: "dim" }, [defs.length ? `← ${defs.join(" ")}` : "", uses.length ? `→ ${uses.join(" ")}` : ""].join(" ").trim()), make("td", { class: "dim" }, live));
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

$("query").addEventListener("input", ask);
$("gen").addEventListener("change", again);
$("file").addEventListener("change", list);
addEventListener("hashchange", () => {
  $("query").value = state().get("q") || "";
  ask();
});
status();
setInterval(status, POLL_MS);
