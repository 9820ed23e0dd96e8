// A whole program: its listing, of which only the rows that are in sight are drawn, with arrows between blocks and from definitions to uses,
// and a bar of the bytes that are live.
"use strict";

const ROW_HEIGHT = 26; // pixels, as in the style
const SPARE_ROWS = 20; // drawn above and below what is in sight
const GUTTER = 96; // where arrows leave and enter the rows
const LANE = 7;
const MOST_EDGES = 400; // ways between blocks that are drawn at once

// The listing that is shown: elements in the order of their rows, and where each instruction and label is.
let listing = null;
let program = null; // its bytes
let listed = 0; // the latest question; older answers are dropped

const FIRST_BYTES = 2048; // of code, which are listed and shown while the whole is

// Shows a program: its beginning first, then the whole, then what defines and uses what, which takes most of the time.
async function list(bytes) {
  if (bytes) program = bytes;
  if (!program || !program.length) {
    listing = null;
    $("tools").hidden = true;
    return $("listing").replaceChildren();
  }
  const number = ++listed;
  const begun = await working("Listing…", isaglotBackend.list(program, false, FIRST_BYTES, choices()));
  if (number !== listed) return;
  present(begun, true);
  let made = begun;
  if (begun.whole === false) {
    if (begun.kind === "list") $("count").textContent = "the beginning; the whole follows";
    made = await working("Listing…", isaglotBackend.list(program, false, null, choices()));
    if (number !== listed) return;
    present(made, false);
  }
  if (made.kind !== "list") return;
  const whole = await working("Finding definitions and uses…", isaglotBackend.list(program, true, null, choices()));
  if (number === listed) present(whole, false);
}

function present(made, isFirst) {
  const box = $("listing");
  $("tools").hidden = made.kind !== "list";
  if (made.kind !== "list") {
    listing = null;
    box.tabIndex = 0;
    return box.replaceChildren(make("pre", { class: made.kind === "error" ? "problems" : "", textContent: made.message || made.text }));
  }
  const elements = made.listing.elems;
  const lines = elements.length;
  const symbols = new Map(elements.filter((e) => e.kind === "L").map((e) => [e.id, e.symbol]));
  const rowOf = new Map(), labelRow = new Map(), byId = new Map();
  let live = 0;
  elements.forEach((e, row) => {
    if (e.kind === "L") labelRow.set(e.id, row);
    else {
      rowOf.set(e.id, row);
      byId.set(e.id, e);
      live = Math.max(live, liveBytes(e));
    }
  });
  const scrolled = !isFirst && listing ? box.scrollTop : 0;
  listing = { elements, symbols, rowOf, labelRow, byId, live, first: -1, last: -1, looked: null, edges: [] };
  listing.edges = edges();
  const heads = ["No.", "Word", "Instruction", "Defined by, used by", "Live bytes"].map((h) => make("th", { scope: "col" }, h));
  const table = make("table", {}, make("thead", {}, make("tr", {}, ...heads)), make("tbody", { id: "above" }), make("tbody", { id: "rows" }), make("tbody", { id: "below" }));
  box.removeAttribute("tabindex");
  box.replaceChildren(make("div", { class: "flow" }, canvas(lines), table));
  box.scrollTop = scrolled;
  const cut = made.elements > lines ? `, of which the first ${lines} are shown` : "";
  $("count").textContent = `${made.elements} lines${cut}`;
  $("jump").replaceChildren(make("option", { value: "" }, "…"), ...[...labelRow].map(([id, row]) => make("option", { value: String(row) }, symbols.get(id))));
  draw();
}

function liveBytes(inst) {
  return Object.values(inst.liveTotals || {}).reduce((sum, n) => sum + n, 0);
}

// Draws the rows that are in sight, if they are others than before.
function draw() {
  if (!listing || !$("rows")) return;
  const box = $("listing");
  const { elements } = listing;
  const top = Math.floor(box.scrollTop / ROW_HEIGHT);
  const first = Math.max(0, top - SPARE_ROWS);
  const last = Math.min(elements.length, top + Math.ceil(Math.max(box.clientHeight, innerHeight) / ROW_HEIGHT) + SPARE_ROWS);
  if (first === listing.first && last === listing.last) return;
  const focused = document.activeElement?.closest?.("#rows tr")?.id;
  Object.assign(listing, { first, last });
  space($("above"), first);
  space($("below"), elements.length - last);
  $("rows").replaceChildren(...elements.slice(first, last).map((e) => (e.kind === "L" ? block(e) : instruction(e))));
  if (focused) document.querySelector(`#${focused} .pick`)?.focus({ preventScroll: true });
  ways();
  if (listing.looked !== null) mark();
}

function space(body, rows) {
  const height = rows * ROW_HEIGHT;
  const row = make("tr", { class: "space" }, make("td", { colSpan: 5 }));
  row.style.height = `${height}px`;
  body.replaceChildren(...(rows ? [row] : []));
}

// Brings a row into sight.
function reveal(row) {
  const box = $("listing");
  const at = row * ROW_HEIGHT;
  if (at < box.scrollTop || at > box.scrollTop + box.clientHeight - 3 * ROW_HEIGHT) box.scrollTop = Math.max(0, at - box.clientHeight / 3);
  draw();
}

// ---- arrows ----

// Where arrows are drawn, left of the rows: the ways between blocks, and the links of the row that is looked at.
function canvas(rows) {
  const heads = ["way", "def", "use"].map((kind) => drawing("marker", {
    id: `head-${kind}`, class: kind, viewBox: "0 0 6 6", refX: 6, refY: 3, markerWidth: 7, markerHeight: 7, orient: "auto",
  }, drawing("path", { d: "M0,0 L6,3 L0,6 z" })));
  return drawing("svg", { id: "arrows", "aria-hidden": "true", height: (rows + 1) * ROW_HEIGHT }, drawing("defs", {}, ...heads),
    drawing("g", { id: "ways" }), drawing("g", { id: "links" }));
}

// The row of titles stands above the first one.
function middle(row) {
  return ROW_HEIGHT * (row + 1.5);
}

// An arrow from a row to another, the further left the longer it is.
function arrow(from, to, kind, lane) {
  const left = Math.max(4, GUTTER - 14 - LANE * lane);
  // One that leads to its own row is a loop beside it.
  const own = from === to ? 5 : 0;
  const [y, end] = [middle(from) - own, middle(to) + own];
  return drawing("path", { class: kind, d: `M${GUTTER},${y} C${left},${y} ${left},${end} ${GUTTER},${end}`, "marker-end": `url(#head-${kind})` });
}

// The ways between blocks as pairs of rows, but for those that just go on.
function edges() {
  const last = new Map(), first = new Map();
  let open = null;
  listing.elements.forEach((e, row) => {
    if (e.kind === "L") open = e.id;
    else {
      if (!first.has(open)) first.set(open, row);
      last.set(open, row);
    }
  });
  const all = listing.elements.filter((e) => e.kind === "L").flatMap((l) => (l.succs || []).map((to) => [last.get(l.id), first.get(to)]));
  return all.filter(([from, to]) => from !== undefined && to !== undefined && to !== from + 1 && to !== from + 2);
}

// Those of them that are in sight.
function ways() {
  const { first, last } = listing;
  const seen = listing.edges.filter(([a, b]) => Math.min(a, b) < last && Math.max(a, b) >= first).slice(0, MOST_EDGES);
  const lane = (from, to) => Math.min(9, Math.floor(Math.log2(Math.abs(to - from) + 1)));
  $("ways").replaceChildren(...seen.map(([from, to]) => arrow(from, to, "way", lane(from, to))));
}

// Marks a row, what defines its sources and what uses its results, and draws arrows between them.
function look(id) {
  listing.looked = id;
  mark();
}

function mark() {
  const [defs, uses] = links(listing.byId.get(listing.looked));
  for (const name of ["here", "def", "use"]) document.querySelectorAll(`#listing tr.${name}`).forEach((row) => row.classList.remove(name));
  const here = listing.rowOf.get(listing.looked);
  defs.forEach((id) => $("i" + id)?.classList.add("def"));
  uses.forEach((id) => $("i" + id)?.classList.add("use"));
  $("i" + listing.looked)?.classList.add("here");
  const rows = (ids) => ids.map((id) => listing.rowOf.get(id)).filter((row) => row !== undefined);
  const lane = (row) => Math.min(10, 2 + Math.floor(Math.abs(row - here) / 3));
  $("links").replaceChildren(...rows(defs).map((row) => arrow(row, here, "def", lane(row))), ...rows(uses).map((row) => arrow(here, row, "use", lane(row))));
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

// ---- rows ----

function block(label) {
  const names = (ids) => ids.map((id) => listing.symbols.get(id) || id).join(" ");
  const from = label.preds ? ` ← ${names(label.preds)}` : "";
  const to = label.succs ? ` → ${names(label.succs)}` : "";
  return make("tr", { class: "block" }, make("th", { colSpan: 5, scope: "rowgroup" }, label.symbol, make("span", {}, from + to)));
}

function instruction(inst) {
  const [defs, uses] = links(inst);
  const bytes = liveBytes(inst);
  const live = Object.entries(inst.liveTotals || {}).filter(([, n]) => n > 0).map(([f, n]) => `${f} ${n}`).join(" ");
  const bar = make("span", { class: "bar" });
  bar.style.width = listing.live ? `${(60 * bytes) / listing.live}px` : "0";
  const take = () => { $("query").value = "0x" + (inst.encoding || "").replaceAll("`", "").replaceAll("0x", ""); ask(); scrollTo(0, 0); };
  return make("tr", { id: "i" + inst.id, onmouseenter: () => look(inst.id) },
    make("td", { class: "dim" }, String(inst.id)), make("td", { class: "dim" }, inst.encoding || ""),
    make("td", {}, make("button", { type: "button", class: "pick", title: "Take this word apart", onclick: take, onfocus: () => look(inst.id), onkeydown: (e) => walk(e, inst.id) }, inst.comment || inst.op)),
    make("td", { class: "dim" }, [defs.length ? `← ${defs.join(" ")}` : "", uses.length ? `→ ${uses.join(" ")}` : ""].join(" ").trim()),
    make("td", { class: "dim", title: live }, bar, live));
}

// Arrow keys go from row to row, also to those that are not drawn yet.
function walk(event, id) {
  const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: 20, PageUp: -20 };
  if (!(event.key in steps)) return;
  event.preventDefault();
  const { elements, rowOf } = listing;
  const step = Math.sign(steps[event.key]);
  let row = Math.min(elements.length - 1, Math.max(0, rowOf.get(id) + steps[event.key]));
  while (elements[row] && elements[row].kind === "L") row += step;
  if (!elements[row]) return;
  reveal(row);
  document.querySelector(`#i${elements[row].id} .pick`)?.focus({ preventScroll: true });
}
