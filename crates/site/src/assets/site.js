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
