// The page of the explorer: asks the engine, shows the answer. What is asked stands in the address, so that a link brings it back. The parts of
// the page are in the files beside this one; what answers is `isaglotBackend`.
"use strict";

const POLL_MS = 1000;

let version = null; // of the description that the answer is from
let asked = 0; // the latest question; older answers are dropped

async function ask() {
  remember();
  const number = ++asked;
  const made = await working("Working…", isaglotBackend.ask($("query").value, choices()));
  if (number === asked) show(made);
}

async function status() {
  const first = version === null;
  const told = await isaglotBackend.status(first ? null : choices()).catch(() => null);
  if (!told || told.kind === "error" || told.version === version) {
    if (told && told.kind === "error" && first) $("answer").replaceChildren(make("pre", { class: "problems", role: "alert" }, told.message));
    return;
  }
  version = told.version;
  $("broken").hidden = told.usable && !String(version).endsWith("+");
  $("broken").textContent = told.usable ? "The description has errors; the last good one is shown.\n" + told.problems : told.problems;
  $("warnings-box").hidden = !told.problems;
  $("warnings").textContent = told.problems || "";
  if (!told.usable) return;
  $("name").textContent = told.name || "isaglot";
  document.title = (told.name ? told.name + " · " : "") + "isaglot explore";
  choose(told, first);
  if (first && state().get("q")) $("query").value = state().get("q");
  if (first && state().get("p")) $("source").value = state().get("p");
  grow();
  again();
  if ($("source").value) typed();
}

// Fills in the gens and features, and what is chosen of them.
function choose(told, first) {
  const wanted = first ? state().get("gen") : $("gen").value;
  const gens = told.gens.map((g) => [g.name, g.name]);
  const options = gens.length ? gens : [[String(told.generation), String(told.generation)]];
  if (wanted && !options.some((o) => o[0] === wanted)) options.push([wanted, wanted]);
  $("gen").replaceChildren(...options.map(([value, text]) => make("option", { value, textContent: text })));
  const current = told.gens.find((g) => g.value === told.generation);
  if (first) $("gen").dataset.first = current ? current.name : options[0][0];
  $("gen").value = wanted || (current ? current.name : options[0][0]);
  const switched = ((first ? state().get("features") : changedFeatures()) || "").split(",");
  $("features").replaceChildren(...told.features.map((f) => {
    const box = make("input", { type: "checkbox", name: f.name, defaultChecked: f.default, onchange: again });
    if (switched.includes("+" + f.name)) box.checked = true;
    if (switched.includes("-" + f.name)) box.checked = false;
    return make("label", { title: f.doc }, box, " " + f.name);
  }));
  $("features-box").hidden = told.features.length === 0;
}

// For another gen, other features, another description.
function again() {
  ask();
  list();
  begin();
}

$("query").addEventListener("input", () => { ask(); offerNext(); });
$("gen").addEventListener("change", () => { again(); if ($("source").value) typed(); });
$("file").addEventListener("change", () => file());
$("listing").addEventListener("scroll", () => draw(), { passive: true });
$("jump").addEventListener("change", () => { if ($("jump").value) reveal(Number($("jump").value)); });
let typing = null;
$("source").addEventListener("input", () => {
  grow();
  clearTimeout(typing);
  typing = setTimeout(typed, TYPING_MS);
});
$("features-find").addEventListener("input", () => {
  const wanted = $("features-find").value.trim().toLowerCase();
  for (const label of $("features").children) label.hidden = !label.textContent.toLowerCase().includes(wanted);
});
addEventListener("hashchange", () => {
  $("query").value = state().get("q") || "";
  ask();
});
let wide = 0;
addEventListener("resize", () => {
  draw();
  const now = columns();
  if (now !== wide && answer && answer.fields) show(answer);
  else fit();
  wide = now;
});
status();
if (isaglotBackend.live) setInterval(status, POLL_MS);
