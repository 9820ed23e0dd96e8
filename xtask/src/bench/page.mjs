// Times of a folder of pages with the explorer in a headless Chromium, from file://. Arguments: the browser, the folder, how often; then pairs of a name and a
// program to list. Each run is a browser of its own. Prints a JSON object.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const [browser, folder, count, ...programs] = process.argv.slice(2);

// A page of a new browser, by the DevTools protocol.
async function open() {
  const profile = mkdtempSync(join(tmpdir(), "isaglot-page-"));
  const options = ["--headless=new", "--no-sandbox", "--disable-gpu", "--enable-precise-memory-info", "--remote-debugging-pipe", `--user-data-dir=${profile}`, "about:blank"];
  const child = spawn(browser, options, { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
  const waiting = new Map();
  let last = 0, held = "";
  // Messages end with a zero byte.
  child.stdio[4].setEncoding("utf8").on("data", (part) => {
    const texts = (held + part).split("\0");
    held = texts.pop();
    for (const text of texts) {
      const { id, result, error } = JSON.parse(text);
      waiting.get(id)?.(error ? { error } : result);
      waiting.delete(id);
    }
  });
  const send = (method, params = {}, sessionId) => new Promise((resolve) => {
    const id = ++last;
    waiting.set(id, resolve);
    child.stdio[3].write(JSON.stringify({ id, method, params, sessionId }) + "\0");
  });
  const { targetInfos } = await send("Target.getTargets");
  const { targetId } = targetInfos.find((target) => target.type === "page");
  const { sessionId } = await send("Target.attachToTarget", { targetId, flatten: true });
  const command = (method, params) => send(method, params, sessionId);
  await command("Page.enable");
  await command("Runtime.enable");
  await command("Performance.enable");
  return {
    command,
    evaluate: async (expression) => {
      const { result, exceptionDetails } = await command("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
      if (exceptionDetails) throw new Error(exceptionDetails.exception?.description || exceptionDetails.text);
      return result.value;
    },
    // What the process of the page has worked, in milliseconds.
    worked: async () => {
      const { metrics } = await command("Performance.getMetrics");
      return 1000 * metrics.find((metric) => metric.name === "ProcessTime").value;
    },
    close: async () => {
      const ended = new Promise((resolve) => child.on("exit", resolve));
      send("Browser.close");
      await ended;
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

// Waits in the page for a condition, and gives the time since the page began, in milliseconds.
const until = (condition) => `new Promise((resolve, reject) => {
  const end = performance.now() + 60000;
  const look = () => {
    if (${condition}) return resolve(performance.now());
    if (performance.now() > end) return reject(new Error("it takes too long"));
    requestAnimationFrame(look);
  };
  look();
})`;

const page = `file://${folder}/explore.html`;

// The time from the beginning of navigation to the answer to a word in the address.
async function first() {
  const tab = await open();
  await tab.command("Page.navigate", { url: `${page}#q=0x0` });
  const time = await tab.evaluate(until("document.getElementById('answer')?.dataset.kind"));
  const work = await tab.worked();
  const names = await tab.evaluate("isaglotBackend.mnemonics(null).then((all) => all.flatMap(([, rows]) => rows.map((row) => row[2])))");
  // Round trips of the page to its engine, after each word was asked for once.
  const rounds = await tab.evaluate(`(async () => {
    const words = ${JSON.stringify(names.slice(0, 200))};
    for (const word of words) await isaglotBackend.ask(word, null);
    const times = [];
    for (const word of words) {
      const start = performance.now();
      await isaglotBackend.ask(word, null);
      times.push(performance.now() - start);
    }
    return times;
  })()`);
  await tab.close();
  return { time, work, rounds };
}

// The time from handing over a program to the first rows in the page, to the whole, and the memory of the page then.
async function program(path) {
  const tab = await open();
  await tab.command("Page.navigate", { url: page });
  await tab.evaluate(until("document.querySelectorAll('.examples button').length"));
  const { root } = await tab.command("DOM.getDocument");
  const { nodeId } = await tab.command("DOM.querySelector", { nodeId: root.nodeId, selector: "#file" });
  await tab.evaluate("window.begun = 0; document.getElementById('file').addEventListener('change', () => { window.begun = performance.now(); }, true), 0");
  const before = await tab.worked();
  await tab.command("DOM.setFileInputFiles", { files: [path], nodeId });
  const painted = `new Promise((resolve) => requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - window.begun))))`;
  await tab.evaluate(until("document.querySelector('#rows tr, #listing pre')"));
  const paint = await tab.evaluate(painted);
  const work = (await tab.worked()) - before;
  await tab.evaluate(until("document.querySelector('#listing pre') || (listing?.live && !document.getElementById('busy').textContent)"));
  const whole = await tab.evaluate(painted);
  const lines = await tab.evaluate("document.getElementById('count').textContent");
  const memory = await tab.evaluate("performance.memory.usedJSHeapSize / 1e6");
  await tab.close();
  return { paint, work, whole, memory, lines };
}

const middle = (all) => [...all].sort((a, b) => a - b)[Math.floor(all.length / 2)];
const firsts = [];
for (let n = 0; n < Number(count); n++) firsts.push(await first());
const times = firsts.map((one) => one.time);
const rounds = firsts.flatMap((one) => one.rounds);
const listed = [];
for (let at = 0; at < programs.length; at += 2) {
  const runs = [];
  for (let n = 0; n < Number(count); n++) runs.push(await program(programs[at + 1]));
  const of = (key) => runs.map((run) => run[key]);
  listed.push({ name: programs[at], paint: middle(of("paint")), work: middle(of("work")), slowest: Math.max(...of("paint")), whole: middle(of("whole")), memory: Math.max(...of("memory")), lines: runs[0].lines });
}
console.log(JSON.stringify({ first: middle(times), work: middle(firsts.map((one) => one.work)), slowest: Math.max(...times), round: middle(rounds), round99: [...rounds].sort((a, b) => a - b)[Math.floor(rounds.length * 0.99)], programs: listed }));
