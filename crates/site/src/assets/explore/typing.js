// A program that is typed: what each line becomes beside it, problems at their lines, and the listing of the whole below. What is typed into the
// one box is completed by what may come next.
"use strict";

const TYPING_MS = 150; // after the last key
let typedNumber = 0;

// The box for lines grows with them.
const ROWS = [8, 24];

function grow() {
  $("source").rows = Math.min(ROWS[1], Math.max(ROWS[0], $("source").value.split("\n").length + 1));
}

async function typed() {
  remember();
  const source = $("source").value;
  const number = ++typedNumber;
  const made = $("made");
  if (!source.trim()) {
    made.replaceChildren();
    $("source").removeAttribute("aria-invalid");
    return list(new Uint8Array());
  }
  const answer = await working("Assembling…", isaglotBackend.typed(source, choices()));
  if (number !== typedNumber) return;
  if (answer.kind === "error") return made.replaceChildren(make("pre", { class: "problems", textContent: answer.message }));
  const lines = source.split("\n");
  const problems = answer.problems.filter((p) => p.severity === "error");
  if (problems.length) $("source").setAttribute("aria-invalid", "true");
  else $("source").removeAttribute("aria-invalid");
  if (answer.from === "dump") {
    made.replaceChildren(make("p", {}, `Read as a dump of ${answer.bytes.length / 2} bytes.`));
  } else {
    made.replaceChildren(problems.length ? wrongLines(lines, answer.problems) : madeLines(lines, answer));
  }
  list(problems.length ? new Uint8Array() : bytesOfHex(answer.bytes));
}

function bytesOfHex(text) {
  return Uint8Array.from(text.match(/../g) || [], (pair) => parseInt(pair, 16));
}

// Each line of the source with its place and bytes.
function madeLines(lines, answer) {
  const byLine = new Map();
  for (const [line, address, bytes] of answer.lines) byLine.set(line, [...(byLine.get(line) || []), [address, bytes]]);
  if (!answer.lines.length) return make("p", {}, `${answer.bytes.length / 2} bytes.`);
  const rows = lines.flatMap((text, at) => (byLine.get(at + 1) || [[null, ""]]).map(([address, bytes], n) => make("tr", {},
    make("td", { class: "dim" }, address === null ? "" : address.toString(16)), make("td", {}, bytes.replace(/../g, "$& ").trim()), make("td", { class: "dim" }, n === 0 ? text : ""))));
  const heads = ["Place", "Bytes", "Line"].map((h) => make("th", { scope: "col" }, h));
  return make("table", {}, make("thead", {}, make("tr", {}, ...heads)), make("tbody", {}, ...rows));
}

// Each problem with its line and a mark under its place.
function wrongLines(lines, problems) {
  return make("ul", { class: "wrong-lines" }, ...problems.map((p) => {
    const line = lines[p.line - 1] || "";
    const go = () => {
      const start = lines.slice(0, p.line - 1).reduce((sum, l) => sum + l.length + 1, 0) + Math.max(0, p.column - 1);
      $("source").focus();
      $("source").setSelectionRange(start, start + p.length);
    };
    const mark = " ".repeat(Math.max(0, p.column - 1)) + "^".repeat(Math.max(1, Math.min(p.length, line.length - p.column + 1)));
    return make("li", {}, make("button", { type: "button", onclick: go }, `line ${p.line}`), " ", make("span", { class: "problems" }, p.message),
      ...p.notes.map((note) => make("span", { class: "quiet" }, ` (${note})`)), make("pre", {}, `${line}\n${mark}`));
  }));
}

// ---- files ----

async function file(dropped) {
  const chosen = dropped || $("file").files[0];
  if (!chosen) return;
  list(new Uint8Array(await chosen.arrayBuffer()));
}

addEventListener("dragover", (event) => {
  event.preventDefault();
  document.body.classList.add("dropping");
});
addEventListener("dragleave", (event) => { if (!event.relatedTarget) document.body.classList.remove("dropping"); });
addEventListener("drop", (event) => {
  event.preventDefault();
  document.body.classList.remove("dropping");
  const dropped = event.dataTransfer.files[0];
  if (dropped) file(dropped);
});

// ---- what may come next ----

let nextNumber = 0;
let offered = []; // [text, what it is, whether it only says so, where it begins]
let chosenNext = -1;
// While the list of the text as it is now is on its way, the one to be seen is that of an earlier text: arrows wait for the new one.
let isAsked = false;
let steps = 0;

function closeNext() {
  nextNumber++;
  isAsked = false;
  steps = 0;
  $("next").hidden = true;
  $("query").setAttribute("aria-expanded", "false");
  $("query").removeAttribute("aria-activedescendant");
  chosenNext = -1;
}

async function offerNext() {
  const box = $("query");
  const before = box.value.slice(0, box.selectionStart);
  const number = ++nextNumber;
  if (!before.trim() || box.selectionStart !== box.value.length || /^\s*[0-9?]/.test(before)) return closeNext();
  isAsked = true;
  steps = 0;
  const made = await isaglotBackend.next(before, choices()).finally(() => { if (number === nextNumber) isAsked = false; });
  if (number !== nextNumber) return;
  offered = (made.items || []).filter(([text, , , from]) => before.slice(from) !== text || !text);
  chosenNext = -1;
  if (!offered.length || document.activeElement !== box) return closeNext();
  const rows = offered.map(([text, what, isHint], at) => make("li", { id: `next-${at}`, role: "option", "aria-selected": "false", "aria-disabled": isHint ? "true" : null, onmousedown: (e) => { e.preventDefault(); takeNext(at); } },
    text ? make("code", {}, text) : null, what ? make("span", { class: "quiet" }, what) : null));
  $("next").replaceChildren(...rows);
  $("next").hidden = false;
  box.setAttribute("aria-expanded", "true");
  box.removeAttribute("aria-activedescendant");
  if (steps) chooseNext(steps);
}

function takeNext(at) {
  const box = $("query");
  const [text, , isHint, from] = offered[at];
  if (isHint) return;
  box.value = box.value.slice(0, from) + text;
  closeNext();
  ask();
  offerNext();
}

function chooseNext(step) {
  const rows = [...$("next").children];
  const from = chosenNext < 0 && step < 0 ? 0 : chosenNext; // Upwards from none is the last.
  chosenNext = (((from + step) % rows.length) + rows.length) % rows.length;
  rows.forEach((row, at) => row.setAttribute("aria-selected", String(at === chosenNext)));
  rows[chosenNext].scrollIntoView({ block: "nearest" });
  $("query").setAttribute("aria-activedescendant", `next-${chosenNext}`);
}

$("query").setAttribute("role", "combobox");
$("query").setAttribute("aria-controls", "next");
$("query").setAttribute("aria-expanded", "false");
$("query").setAttribute("aria-autocomplete", "list");
$("query").addEventListener("blur", closeNext);
$("query").addEventListener("keydown", (event) => {
  if ($("next").hidden) return;
  if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    event.preventDefault();
    const step = event.key === "ArrowDown" ? 1 : -1;
    if (isAsked) steps += step;
    else chooseNext(step);
  } else if (event.key === "Enter" && chosenNext >= 0) {
    event.preventDefault();
    takeNext(chosenNext);
  } else if (event.key === "Escape") {
    closeNext();
  }
});
