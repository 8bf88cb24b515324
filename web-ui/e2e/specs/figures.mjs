/**
 * Not a test but a measurement, started by `cargo xtask bench`: how the page of a large model
 * loads, and how soon it shows what another client changed.
 *
 * A load is cold: a visitor without cache, signed in. Interactive is when every unit is listed and
 * the last task of more than 50 ms has ended, with two seconds of quiet after it. Bytes are those
 * on the wire, headers and the snapshot of the event stream included.
 */
import { Agent, request } from "node:https";
import { check, signIn } from "../steps.mjs";

const UNITS = Number(process.env.PERIAPT_FIGURES_UNITS ?? 500);
const LOADS = Number(process.env.PERIAPT_FIGURES_LOADS ?? 5);
const CHANGES = Number(process.env.PERIAPT_FIGURES_CHANGES ?? 20);
const QUIET = 2000;

export default async function ({ enter, world }) {
  const first = await enter();
  await signIn(first.page, world);
  const storageState = await first.context.storageState();
  await first.context.close();

  const loads = [];
  let page;
  for (let number = 0; number < LOADS; number += 1) {
    await page?.context().close();
    ({ page } = await enter({ storageState }));
    loads.push(await load(page, `/models/${world.model}?tab=units`));
  }
  say("first paint", middle(loads.map(({ painted }) => painted)), "ms");
  say("interactive", middle(loads.map(({ interactive }) => interactive)), "ms");
  say("loaded", middle(loads.map(({ bytes }) => bytes)) / 1024, "KiB");
  say("requests", middle(loads.map(({ requests }) => requests)), "");
  const lags = await changes(page, world);
  for (const percent of [50, 99]) {
    say(`from the API's answer to the page showing it, p${percent}`, rank(lags, percent), "ms");
  }
}

/** A figure, as the bench reads it. */
function say(name, value, unit) {
  console.log(JSON.stringify({ name, value, unit }));
}

/** One cold load, measured from its beginning, in milliseconds. */
async function load(page, path) {
  const network = await traffic(page);
  await page.addInitScript((units) => {
    const seen = { content: null, busyUntil: 0 };
    globalThis.figures = seen;
    new PerformanceObserver((list) => {
      for (const { startTime, duration } of list.getEntries()) {
        seen.busyUntil = Math.max(seen.busyUntil, startTime + duration);
      }
    }).observe({ type: "longtask", buffered: true });
    new MutationObserver(() => {
      if (seen.content !== null) return;
      // Of many rows only those in the window are drawn; the table says how many there are.
      const table = document.querySelector("table[aria-rowcount]");
      const rows = Number(table?.getAttribute("aria-rowcount") ?? document.querySelectorAll("tr").length);
      if (document.querySelector("tr[data-unit]") && rows > units) seen.content = performance.now();
    }).observe(document, { childList: true, subtree: true, attributes: true, attributeFilter: ["aria-rowcount"] });
  }, UNITS);
  await page.goto(path);
  await page.waitForFunction(
    (quiet) => {
      const { content, busyUntil } = globalThis.figures;
      return content !== null && performance.now() - Math.max(content, busyUntil) > quiet;
    },
    QUIET,
    { polling: 200 },
  );
  const { painted, interactive } = await page.evaluate(() => ({
    painted: performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? Number.NaN,
    interactive: Math.max(globalThis.figures.content, globalThis.figures.busyUntil),
  }));
  return { painted, interactive, ...network() };
}

/** Counts what goes over the wire from now on. The event stream never finishes; its parts count. */
async function traffic(page) {
  const debug = await page.context().newCDPSession(page);
  await debug.send("Network.enable");
  const bytes = new Map();
  debug.on("Network.requestWillBeSent", ({ requestId }) => bytes.set(requestId, bytes.get(requestId) ?? 0));
  debug.on("Network.responseReceived", ({ requestId, response }) => bytes.set(requestId, response.encodedDataLength));
  debug.on("Network.dataReceived", ({ requestId, encodedDataLength, dataLength }) =>
    bytes.set(requestId, (bytes.get(requestId) ?? 0) + (encodedDataLength || dataLength)),
  );
  debug.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => bytes.set(requestId, encodedDataLength));
  return () => ({
    requests: bytes.size,
    bytes: [...bytes.values()].reduce((sum, each) => sum + each, 0),
  });
}

/** Deploys applications without units, one after the other: no agent has work, only the page has. */
async function changes(page, world) {
  const api = await client(world);
  const m = `/v1/models/${world.model}`;
  const { items } = await api("GET", `${m}/charms`);
  check(items.length > 0, "the model has no charm");
  await page.evaluate(() => {
    const shown = new Map();
    globalThis.shown = shown;
    new MutationObserver(() => {
      for (const { dataset } of document.querySelectorAll("tr[data-application]")) {
        if (!shown.has(dataset.application)) {
          shown.set(dataset.application, performance.timeOrigin + performance.now());
        }
      }
    }).observe(document.body, { childList: true, subtree: true });
  });
  await page.getByRole("tab", { name: /^Applications/ }).click();
  const ahead = await clockOf(page);
  const lags = [];
  for (let number = 0; number < CHANGES; number += 1) {
    const application = `seen${number}`;
    await api("POST", `${m}/applications`, { application, charm: items[0].url, units: 0, config: {} });
    const answered = now();
    const shown = await page.waitForFunction((name) => globalThis.shown.get(name), application, { polling: 20 });
    // Shown before its answer had been read counts as at once.
    lags.push(Math.max(0, (await shown.jsonValue()) - ahead - answered));
    await page.waitForTimeout(200);
  }
  return lags;
}

const now = () => performance.timeOrigin + performance.now();

/** How far the page's clock is ahead of this process's, by the quickest of some questions. */
async function clockOf(page) {
  let best = { took: Infinity, ahead: 0 };
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const asked = now();
    const theirs = await page.evaluate(() => performance.timeOrigin + performance.now());
    const took = now() - asked;
    if (took < best.took) best = { took, ahead: theirs - asked - took / 2 };
  }
  return best.ahead;
}

/** Calls the API as a program does: a token, one connection. */
async function client({ url, user, password }) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false });
  let token = "";
  const call = (method, path, body) =>
    new Promise((resolve, reject) => {
      const headers = { "Content-Type": "application/json" };
      if (token) headers.Authorization = `Bearer ${token}`;
      const sent = request(new URL(path, url), { method, agent, headers }, (answer) => {
        let text = "";
        answer.setEncoding("utf8");
        answer.on("data", (part) => (text += part));
        answer.on("end", () => {
          if (answer.statusCode < 300) resolve(text ? JSON.parse(text) : undefined);
          else reject(new Error(`${method} ${path}: ${answer.statusCode} ${text}`));
        });
      });
      sent.on("error", reject);
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
  ({ token } = await call("POST", "/v1/login", { user, password, name: "figures" }));
  return call;
}

const sorted = (values) => values.toSorted((a, b) => a - b);
const middle = (values) => sorted(values)[Math.floor((values.length - 1) / 2)];

/** Nearest rank. */
function rank(values, percent) {
  return sorted(values)[Math.max(1, Math.ceil((values.length * percent) / 100)) - 1];
}
