// The search box, and fields that light up together. Works from a folder: the index is a script, not a request.
"use strict";

const query = document.getElementById("query");
const found = document.getElementById("found");
const MOST = 40;

// Pages whose title begins with the text first, then titles that hold it, then pages whose words all begin as asked.
function search(text) {
  const words = text.toLowerCase().split(/\s+/).filter((w) => w);
  if (words.length === 0) return [];
  const ranked = [];
  for (const [title, path, body] of ISAGLOT_INDEX) {
    const head = title.toLowerCase();
    let rank = 0;
    for (const word of words) {
      if (head === word) rank += 0;
      else if (head.startsWith(word)) rank += 1;
      else if (head.includes(word)) rank += 2;
      else if (body.includes(word)) rank += 3;
      else { rank = -1; break; }
    }
    if (rank >= 0) ranked.push([rank, title, path]);
  }
  ranked.sort((a, b) => a[0] - b[0] || a[1].localeCompare(b[1]));
  return ranked;
}

function show() {
  const ranked = search(query.value);
  found.replaceChildren();
  found.hidden = query.value.trim() === "";
  for (const [, title, path] of ranked.slice(0, MOST)) {
    const item = document.createElement("li");
    const link = document.createElement("a");
    link.href = document.body.dataset.up + path;
    link.textContent = title;
    item.append(link);
    found.append(item);
  }
  const more = document.createElement("li");
  if (ranked.length === 0) more.textContent = "nothing found";
  else if (ranked.length > MOST) more.textContent = `and ${ranked.length - MOST} more`;
  if (more.textContent) found.append(more);
}

query.addEventListener("input", show);
query.addEventListener("focus", show);

// `/` goes to the box, arrows walk through what was found, Escape leaves.
document.addEventListener("keydown", (event) => {
  const links = [...found.querySelectorAll("a")];
  const at = links.indexOf(document.activeElement);
  const inside = document.activeElement === query || at >= 0;
  if (event.key === "/" && !inside) {
    event.preventDefault();
    query.focus();
  } else if (event.key === "Escape" && inside) {
    found.hidden = true;
    query.focus();
  } else if (event.key === "ArrowDown" && inside && links.length > 0) {
    event.preventDefault();
    links[Math.min(at + 1, links.length - 1)].focus();
  } else if (event.key === "ArrowUp" && at >= 0) {
    event.preventDefault();
    (at === 0 ? query : links[at - 1]).focus();
  } else if (event.key === "Enter" && document.activeElement === query && links.length > 0) {
    links[0].click();
  }
});
document.addEventListener("click", (event) => {
  if (!event.target.closest("search")) found.hidden = true;
});

// A field lights up wherever it stands between two headings.
function light(event, on) {
  const field = event.target.closest("[data-f]");
  if (!field) return;
  for (const other of document.querySelectorAll("[data-f]")) {
    if (other.dataset.f === field.dataset.f) other.classList.toggle("lit", on);
  }
}
document.addEventListener("mouseover", (event) => light(event, true));
document.addEventListener("mouseout", (event) => light(event, false));

// ---- narrow screens ----

// Where a row of 32 bits has no room, the diagram is laid out again with as many bits a row as there is room for. Boxes are cut at the
// ends of rows; where there is more room, bits are wider, so that more names fit. What is drawn stays as the page has it.
const BIT = 24, NUMBERS = 16, ROW = 46;
const MOST_BIT = 44; // the widest bit
const SVG = "http://www.w3.org/2000/svg";

function boxes(svg) {
  const columns = Math.round((svg.viewBox.baseVal.width - 2) / BIT);
  const rows = Math.round((svg.viewBox.baseVal.height - 2) / ROW);
  return { columns, rows, all: [...svg.querySelectorAll("g")].map((g) => {
    const rect = g.querySelector("rect");
    const number = (name) => Number(rect.getAttribute(name));
    const row = Math.round((number("y") - NUMBERS) / ROW);
    const from = row * columns + Math.round((number("x") - 1) / BIT);
    return { g, from, to: from + Math.round(number("width") / BIT) };
  }) };
}

function relaid(svg, wide, size) {
  const { columns, rows, all } = boxes(svg);
  const last = Math.max(...all.map((box) => box.to));
  const bits = columns * rows === last ? last : Math.max(last, columns);
  const copy = svg.cloneNode(false);
  const lines = Math.ceil(bits / wide);
  copy.setAttribute("viewBox", `0 0 ${wide * size + 2} ${lines * ROW + 2}`);
  copy.setAttribute("width", wide * size + 2);
  copy.setAttribute("height", lines * ROW + 2);
  copy.append(...[...svg.children].filter((child) => child.tagName !== "g").map((child) => child.cloneNode(true)));
  for (const { g, from, to } of all) {
    const digits = [...g.querySelectorAll("text:not(.n)")];
    const name = g.dataset.f && digits.length === 1 && !/^[01]$/.test(digits[0].textContent) ? g.dataset.f : null;
    for (let start = from; start < to; start = (Math.floor(start / wide) + 1) * wide) {
      const end = Math.min(to, (Math.floor(start / wide) + 1) * wide);
      const x = (start % wide) * size + 1, y = Math.floor(start / wide) * ROW + NUMBERS;
      const part = g.cloneNode(false);
      const add = (tag, attributes, text) => {
        const element = document.createElementNS(SVG, tag);
        for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
        if (text !== undefined) element.textContent = text;
        part.append(element);
      };
      add("rect", { x, y, width: (end - start) * size, height: 30 });
      const title = g.querySelector("title");
      if (title) part.append(title.cloneNode(true));
      const room = Math.max(1, Math.floor(((end - start) * size) / 8));
      if (name) add("text", { x: x + ((end - start) * size) / 2, y: y + 20, "text-anchor": "middle" }, name.length <= room ? name : name.slice(0, Math.max(1, room - 1)) + "…");
      else if (digits.length === to - from) for (let at = start; at < end; at++) add("text", { x: x + (at - start) * size + size / 2, y: y + 20, "text-anchor": "middle" }, digitAt(digits, at, from, to));
      const number = (at) => bits - 1 - at;
      if (end - start === 1) add("text", { class: "n", x: x + size / 2, y: y - 4, "text-anchor": "middle" }, number(start));
      else {
        add("text", { class: "n", x: x + 2, y: y - 4, "text-anchor": "start" }, number(start));
        add("text", { class: "n", x: x + (end - start) * size - 2, y: y - 4, "text-anchor": "end" }, number(end - 1));
      }
      copy.append(part);
    }
  }
  return copy;
}

// Digits stand from the lowest bit on, which is the last of a box.
function digitAt(digits, at, from, to) {
  return digits[to - 1 - at].textContent;
}

const wholes = new Map(); // the diagrams as the page has them, by what stands in their place

function lay() {
  for (const svg of document.querySelectorAll("svg.bits")) {
    const whole = wholes.get(svg) || svg;
    const space = svg.parentElement.clientWidth - 2, room = Math.floor(space / BIT);
    const columns = Math.round((whole.viewBox.baseVal.width - 2) / BIT);
    const wide = room >= columns ? columns : room >= 16 ? 16 : 8;
    const size = Math.max(BIT, Math.min(MOST_BIT, Math.floor(space / wide)));
    const form = `${wide} ${size}`;
    if (space <= 0 || svg.dataset.form === form) continue;
    const next = wide === columns && size === BIT ? whole : relaid(whole, wide, size);
    next.dataset.form = form;
    wholes.delete(svg);
    if (next !== whole) wholes.set(next, whole);
    svg.replaceWith(next);
  }
  // What scrolls inside itself can be reached by keyboard.
  for (const box of document.querySelectorAll(".wide, pre")) {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
  }
}
lay();
addEventListener("resize", lay);

// ---- the index ----

const letters = [...document.querySelectorAll("details.letter")];
if (letters.length > 0) {
  const unfold = document.createElement("button");
  unfold.type = "button";
  unfold.id = "unfold";
  unfold.textContent = "Show the syntax of all";
  unfold.addEventListener("click", () => {
    const open = letters.some((one) => !one.open);
    letters.forEach((one) => { one.open = open; });
    unfold.textContent = open ? "Hide the syntax" : "Show the syntax of all";
  });
  document.querySelector("h2").before(unfold);
}
// What an address leads to is in sight, also inside of something folded.
function reveal() {
  const target = location.hash.length > 1 ? document.getElementById(decodeURIComponent(location.hash.slice(1))) : null;
  target?.nextElementSibling?.nextElementSibling?.matches?.("details") && (target.nextElementSibling.nextElementSibling.open = true);
  target?.closest?.("details")?.setAttribute("open", "open");
}
addEventListener("hashchange", reveal);
reveal();
addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((one) => { one.open = true; }));
