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
    const box = make("input", { type: "checkbox", name: f.name, defaultChecked: f.default, onchange: ask });
    if (switched.split(",").includes("+" + f.name)) box.checked = true;
    if (switched.split(",").includes("-" + f.name)) box.checked = false;
    return make("label", { title: f.doc }, box, " " + f.name);
  }));
  $("features-box").hidden = told.features.length === 0;
  if (first && state().get("q")) $("query").value = state().get("q");
  ask();
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
  parts.push(make("div", { class: "wide" }, bits(made)));
  if (found) parts.push(why(found), fields(made));
  if (made.explain.conflict) parts.push(make("p", {}, "They are: " + made.explain.conflict.map((e) => `${e.name} (${e.at})`).join(", ")));
  if (made.explain.nearest) parts.push(nearest(made));
  parts.push(copies(made));
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
      ` if bits ${runs([...near.wrong_bits].sort((a, b) => b - a))} were different (${near.encoding.at})`);
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
  box.replaceChildren(...[make("table", {}, make("tbody", {}, ...rows)), cut].filter((x) => x));
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
  return [[...defs], [...uses]];
}

function instruction(inst) {
  const [defs, uses] = links(inst);
  const live = Object.entries(inst.liveTotals || {}).filter(([, n]) => n > 0).map(([f, n]) => `${f} ${n}`).join(" ");
  const mark = (on) => () => {
    const set = (ids, name) => ids.forEach((id) => { const row = $("i" + id); if (row) row.classList.toggle(name, on); });
    set(defs, "def");
    set(uses, "use");
    set([inst.id], "here");
  };
  const take = () => { $("query").value = "0x" + (inst.encoding || "").replaceAll("`", ""); ask(); scrollTo(0, 0); };
  const row = make("tr", { id: "i" + inst.id, onmouseenter: mark(true), onmouseleave: mark(false) },
    make("td", {}, String(inst.id)), make("td", {}, inst.encoding || ""),
    make("td", { class: "pick", tabIndex: 0, onclick: take, onkeydown: (e) => e.key === "Enter" && take(), onfocus: mark(true), onblur: mark(false) }, inst.comment || inst.op),
    make("td", {}, defs.length ? `← ${defs.join(" ")}` : "", uses.length ? ` → ${uses.join(" ")}` : ""), make("td", {}, live));
  return row;
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
$("gen").addEventListener("change", () => { ask(); list(); });
$("file").addEventListener("change", list);
addEventListener("hashchange", () => {
  $("query").value = state().get("q") || "";
  ask();
});
status();
setInterval(status, POLL_MS);
