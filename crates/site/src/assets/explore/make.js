// What all parts of the page use: elements, the state in the address, links to pages, signs of work.
"use strict";

const $ = (id) => document.getElementById(id);
const DOCS = document.body.dataset.docs;
const SLOW_MS = 200; // work that takes longer is shown

// An element: name, properties, children.
function make(name, properties, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties || {})) {
    if (value === null || value === undefined) continue;
    if (key === "class") element.className = value;
    else if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key in element && key !== "list") element[key] = value;
    else element.setAttribute(key, value);
  }
  element.append(...children.flat().filter((c) => c !== null && c !== undefined));
  return element;
}

const SVG = "http://www.w3.org/2000/svg";

function drawing(name, attributes, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

// A link to a page of the description; its text alone if there is none.
function pageLink(table, id, text) {
  const address = typeof ISAGLOT_PAGES === "undefined" ? null : (ISAGLOT_PAGES[table] || [])[id];
  return address ? make("a", { href: DOCS + address }, text) : make("span", {}, text);
}

// Waits for an answer; work that takes long is shown.
let works = 0;
async function working(what, answer) {
  const timer = setTimeout(() => { $("busy").textContent = what; }, SLOW_MS);
  works++;
  try {
    return await answer;
  } finally {
    clearTimeout(timer);
    if (--works === 0) $("busy").textContent = "";
  }
}

// Says something to people who listen, too.
function say(text) {
  $("said").textContent = text;
}

// ---- what is chosen, and the address ----

function state() {
  return new URLSearchParams(location.hash.slice(1));
}

const MOST_IN_ADDRESS = 4000; // characters of a program that a link can carry

function remember() {
  const kept = new URLSearchParams();
  if ($("query").value) kept.set("q", $("query").value);
  if ($("gen").value && $("gen").value !== $("gen").dataset.first) kept.set("gen", $("gen").value);
  const features = changedFeatures();
  if (features) kept.set("features", features);
  if ($("source").value && $("source").value.length <= MOST_IN_ADDRESS) kept.set("p", $("source").value);
  const hash = "#" + kept;
  if (hash !== location.hash && !(hash === "#" && location.hash === "")) history.replaceState(null, "", hash);
}

function changedFeatures() {
  const boxes = [...$("features").querySelectorAll("input")];
  return boxes.filter((b) => b.checked !== b.defaultChecked).map((b) => (b.checked ? "+" : "-") + b.name).join(",");
}

function choices() {
  const gen = $("gen").value;
  return { gen: gen === $("gen").dataset.first ? "" : gen, features: changedFeatures() };
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

// The same in the order of bits of a word, the most significant first.
function segments(bits) {
  const parts = [];
  for (const bit of bits) {
    const last = parts[parts.length - 1];
    if (last && last[1] === bit + 1) last[1] = bit;
    else parts.push([bit, bit]);
  }
  return parts;
}
