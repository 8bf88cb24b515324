/** What hooks use against their limits, and the files that a unit keeps: wide, on a phone and in the dark. */
import { readFile } from "node:fs/promises";
import { serious } from "../axe.mjs";
import { visit } from "../pages.mjs";
import { api, charm, check, enterAs, periapt, signIn } from "../steps.mjs";

/** What the probe writes: one long line, longer than the page shows. */
const FILLED = 300_000;

const unitPage = (world, unit, search) => [unit, `/models/${world.model}/units/${unit}?view=files${search ?? ""}`, unit];

const at = (kind, path) => `&${kind}=${encodeURIComponent(path)}`;

const row = (page, unit) => page.locator(`tr[data-unit="${unit}"]`);

const content = (page, path) => page.getByRole("region", { name: `Content of ${path}`, exact: true });

/** Nothing sticks out, a phone names each column beside its cell, and axe finds nothing. */
async function sound(page, name, how) {
  const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  check(over <= 1, `${name} ${how} is ${over} px too wide`);
  const bare = await page.locator("table.list tbody td:not([data-label]):not([colspan])").count();
  check(bare === 0, `${name}: ${bare} cells do not say what they are on a phone`);
  const found = await serious(page);
  check(found.length === 0, `axe-core found on ${name} ${how}:\n${found.join("\n")}`);
}

/** Units stand as the API orders them, whatever they are ordered by. */
async function ordered(page, world, by) {
  const answer = await page.request.get(`/v1/models/${world.model}/top?by=${by}&limit=100`);
  const wanted = (await answer.json()).units.map(({ unit }) => unit);
  await page.waitForFunction(
    (units) => [...document.querySelectorAll("tr[data-unit]")].map((each) => each.dataset.unit).join() === units.join(),
    wanted,
  );
}

async function usesMost(page, world) {
  await visit(page, ["the model", `/models/${world.model}`, world.model]);
  await page.getByRole("link", { name: "Sandbox", exact: true }).click();
  const state = row(page, "probe/0").locator('td[data-label="State"]');
  await state.getByText(/^29\d\.\d KiB$/).waitFor();
  await state.getByText("<1 % of 256.0 MiB").waitFor();
  await row(page, "site/0").locator('td[data-label="Memory"]').getByText(/^[1-9]\d? % of 64\.0 MiB$/).waitFor();

  await page.getByLabel("Sort by").selectOption({ label: "State" });
  await page.waitForURL(/\?by=state-directory$/);
  await ordered(page, world, "state-directory");
  check((await page.locator("tr[data-unit]").first().getAttribute("data-unit")) === "probe/0", "the probe keeps most");
  await page.getByLabel("Sort by").selectOption({ label: "Memory" });
  await ordered(page, world, "memory");

  // A link shows what its sender saw.
  await visit(page, ["the link", `/models/${world.model}/sandbox?by=host-calls&period=hour`, world.model]);
  await ordered(page, world, "host-calls");
  check((await page.getByLabel("Hooks", { exact: true }).inputValue()) === "hour", "the period of the link is lost");

  await visit(page, ["nothing", "/models/controller/sandbox", "controller"]);
  await page.getByRole("heading", { name: "No hooks are recorded" }).waitFor();
}

/** What the controller refuses is said, and asked for again. */
async function refused(page, world) {
  const problem = { status: 400, code: "limit-invalid", title: "Not so", detail: "limit is 0", advice: "" };
  await page.route("**/top?**", (route) => route.fulfill({ status: 400, json: problem }));
  await visit(page, ["refused", `/models/${world.model}/sandbox`, world.model]);
  await page.getByText("Limit is 0.").waitFor();
  await page.unroute("**/top?**");
  await page.getByRole("button", { name: "Try again" }).click();
  await row(page, "probe/0").waitFor();
}

/** Saves the file that the page shows. */
async function saved(page) {
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Download", exact: true }).click(),
  ]);
  return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) };
}

async function looksAtFiles(page, world) {
  await visit(page, ["the unit", `/models/${world.model}/units/site/0`, "site/0"]);
  await page.getByRole("tab", { name: "Files" }).click();
  await page.getByText("Every access is recorded in the").waitFor();
  await page.locator('tr[data-file="site"]').getByRole("link", { name: "site", exact: true }).click();
  await page.locator('tr[data-file="index.html"]').getByRole("link", { name: "index.html", exact: true }).click();
  const shown = content(page, "/state/site/index.html");
  await shown.waitFor();
  const text = await periapt("files", "cat", "site/0:/state/site/index.html");
  check((await shown.textContent()) === text, "the page and the command line differ");
  check((await shown.locator("*").count()) === 0, "what a charm wrote became a part of the page");
  const file = await saved(page);
  check(file.name === "index.html" && file.bytes.toString() === text, `${file.name} was saved otherwise`);
  await page.goBack();
  await page.locator('tr[data-file="index.html"]').waitFor();
  await page.getByRole("navigation", { name: "Path" }).getByRole("link", { name: "/state" }).click();
  await page.locator('tr[data-file="site"]').waitFor();
  const audit = await periapt("audit", "--format", "json");
  check(audit.includes("/state/site/index.html"), "the look is not on record");
}

/** What is long, binary, missing or out of reach. */
async function looksAtOthers(page, world) {
  await visit(page, unitPage(world, "probe/0", at("file", "/state/filled")));
  await page.getByText("The first 256.0 KiB are shown. Download it to see the rest.").waitFor();
  check((await content(page, "/state/filled").textContent()).length === 256 << 10, "not just the first part is shown");
  const file = await saved(page);
  check(file.bytes.length === FILLED, `${file.bytes.length} bytes were saved`);

  await visit(page, unitPage(world, "probe/0", at("file", "/state/none")));
  await page.getByText("file-not-found").waitFor();
  await visit(page, unitPage(world, "probe/0", at("path", "/etc")));
  await page.getByText("file-path-invalid").waitFor();

  await page.route("**/files/read", (route) => route.fulfill({ body: Buffer.from([0, 80, 78, 71, 255]) }));
  await visit(page, unitPage(world, "probe/0", at("file", "/state/picture")));
  await page.getByText("Binary, 5 bytes.").waitFor();
  await content(page, "/state/picture").getByText("00 50 4e 47 ff").waitFor();
  await page.unroute("**/files/read");

  const silent = { status: 503, code: "agent-silent", title: "Not now", detail: "the agent of probe/0 did not answer in time", advice: "" };
  await page.route("**/files/list", (route) => route.fulfill({ status: 503, json: silent }));
  await visit(page, unitPage(world, "probe/0"));
  await page.getByText("The agent of probe/0 did not answer in time.").waitFor();
  await page.unroute("**/files/list");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.locator('tr[data-file="filled"]').getByText("293.0 KiB").waitFor();
}

/** Who is no admin of the model is told so, and the controller is not asked. */
async function isNoAdmin(enter, page, world) {
  const writer = await enterAs(enter, page, "carol");
  await api(page, "PUT", `/v1/models/${world.model}/access/carol`, { access: "write" });
  await signIn(writer.page, { ...world, user: writer.user, password: writer.password });
  const asked = [];
  writer.page.on("request", (request) => {
    if (request.url().includes("/files/")) asked.push(request.url());
  });
  await visit(writer.page, unitPage(world, "site/0"));
  await writer.page.getByRole("heading", { name: `Only admins of ${world.model} see the files of its units` }).waitFor();
  check(asked.length === 0, `the page asked for ${asked.join(", ")}`);
  await visit(writer.page, ["sandbox", `/models/${world.model}/sandbox`, world.model]);
  await row(writer.page, "site/0").waitFor();
}

export default async function ({ enter, world }) {
  await periapt("deploy", charm("site"), "site");
  const script = `script=start: write ${FILLED}\nstart: status active ready`;
  await periapt("deploy", charm("probe"), "probe", "--config", script);
  for (const name of ["site", "probe"]) await periapt("wait-for", "application", name, "--timeout", "3m");
  const { page } = await enter();
  await signIn(page, world);
  await usesMost(page, world);
  await refused(page, world);
  await looksAtFiles(page, world);
  await looksAtOthers(page, world);
  await isNoAdmin(enter, page, world);

  const places = [
    ["sandbox", `/models/${world.model}/sandbox`, world.model],
    ["nothing", "/models/controller/sandbox", "controller"],
    unitPage(world, "site/0"),
    unitPage(world, "site/0", at("file", "/state/site/index.html")),
    unitPage(world, "probe/0", at("file", "/state/filled")),
    unitPage(world, "probe/0", at("file", "/state/none")),
  ];
  for (const [width, dark] of [[1280, false], [1001, false], [390, false], [390, true], [1280, true]]) {
    const other = await enter({ width, height: 800, dark });
    await signIn(other.page, world);
    for (const place of places) {
      await visit(other.page, place);
      await sound(other.page, place[1], `at ${width}${dark ? " in the dark" : ""}`);
    }
  }
}
