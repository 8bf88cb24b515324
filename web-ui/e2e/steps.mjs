/** What a person does, in the words of the page. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { get } from "node:http";
import { createServer } from "node:net";
import { promisify } from "node:util";
import { PATIENCE } from "./browser.mjs";

const run = promisify(execFile);

/** A call of the program under test with the same home as the controller. */
export async function periapt(...words) {
  const { stdout } = await run(process.env.PERIAPT_TEST_PROGRAM ?? "periapt", words, {
    timeout: PATIENCE,
  });
  return stdout;
}

/** Units of several applications, none of which works any more. */
export async function crowd(model, units, applications) {
  for (let number = 0; number < applications; number += 1) {
    await periapt("deploy", "-m", model, charm("noop"), `app${number}`, "-n", String(units / applications));
  }
  const query = `len(units) == ${units} && forEach(units, unit => unit.agent-status=="idle")`;
  // One call waits no longer than any other.
  for (let tries = 1; ; tries += 1) {
    try {
      await periapt("wait-for", "model", model, "--query", query, "--timeout", "100s");
      return;
    } catch (error) {
      if (tries >= 6) throw error;
    }
  }
}

/** A packed charm. Those made for the specs stand in a folder of their own. */
export function charm(name) {
  const own = `${process.env.PERIAPT_TEST_OWN_CHARMS}/${name}.charm`;
  if (existsSync(own)) return own;
  return `${process.env.PERIAPT_TEST_CHARMS ?? "../target/charms"}/${name}.charm`;
}

/** A port that nobody has, for the gate that takes it soon. */
export async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Asks what an application serves, by its name, until it answers; nothing but browsers knows names below `localhost`. */
export async function ask(port, application, path = "/") {
  const host = `${application}.${process.env.PERIAPT_MODEL ?? "test"}.localhost:${port}`;
  const once = () =>
    new Promise((resolve) => {
      get({ host: "127.0.0.1", port, path, headers: { host } }, (answer) => {
        answer.resume().on("end", () => resolve(answer.statusCode));
      }).on("error", () => resolve(0));
    });
  for (let tries = 0; tries < 300; tries += 1) {
    const status = await once();
    if (status !== 0 && status !== 404 && status < 502) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`${host}${path} never answered`);
}

export async function signIn(page, world, path = "/models") {
  await page.goto(path);
  await page.getByLabel("User", { exact: true }).fill(world.user);
  await page.getByLabel("Password", { exact: true }).fill(world.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await live(page);
}

/** A request as the one who is signed in on this page. */
export async function api(page, method, path, data) {
  const { csrf } = await (await page.request.get("/v1/session")).json();
  const headers = { "X-Periapt-CSRF": csrf };
  const answer = await page.request.fetch(path, { method, headers, ...(data && { data }) });
  check(answer.ok(), `${method} ${path}: ${answer.status()} ${await answer.text()}`);
  return answer.json();
}

/** A visitor who is another user, made by the superuser of `page`. */
export async function enterAs(enter, page, name, options = {}) {
  const password = `the password of ${name}`;
  await api(page, "POST", "/v1/users", { name, "display-name": "", password });
  const entered = await enter(options);
  return { ...entered, user: name, password };
}

/** The page shows how things are. */
export async function live(page) {
  await page.getByRole("status").filter({ hasText: /^Live$/ }).waitFor();
}

/** Deploys from the page: upload, name, units, configuration. */
export async function deploy(page, { model, file, name, units = 1, config = {} }) {
  await page.goto(`/models/${model}/deploy`);
  await page.getByLabel("Upload a .charm file").setInputFiles(file);
  await page.getByText(/sha256/).waitFor();
  await page.getByLabel("Application name").fill(name);
  await page.getByLabel("Number of units").fill(String(units));
  for (const [option, value] of Object.entries(config)) {
    await page.getByLabel(option, { exact: true }).fill(value);
  }
  await page.getByRole("button", { name: "Deploy", exact: true }).click();
  await page.getByRole("heading", { level: 1, name, exact: true }).waitFor();
}

/** Deploys the charm `probe`, whose hooks do what `script` says. */
export async function deployProbe(page, world, script, units = 1) {
  await deploy(page, { model: world.model, file: charm("probe"), name: "probe", units, config: { script } });
}

/** The page of a visitor who signed in and deployed the probe; it is at its application. */
export async function enterWithProbe(enter, world, script) {
  const { page } = await enter();
  await signIn(page, world);
  await deployProbe(page, world, script);
  return page;
}

/** The same, with a probe whose hook start failed and is not tried again. */
export async function enterWithFailedProbe(enter, world) {
  await periapt("model-config", "automatically-retry-hooks=false");
  const page = await enterWithProbe(enter, world, "start: fail 1000");
  await unitSays(page, "probe/0", "error");
  return page;
}

/** The row of a unit in a list of units. */
export function unitRow(page, unit) {
  return page.locator(`tr[data-unit="${unit}"]`);
}

/** Waits, on the page as it is, until the unit's row says this. */
export async function unitSays(page, unit, ...words) {
  let row = unitRow(page, unit);
  for (const word of words) row = row.filter({ hasText: word });
  await row.first().waitFor({ timeout: PATIENCE });
}

/** Marks the page, to see later that it was never loaded anew. */
export async function mark(page) {
  await page.evaluate(() => {
    globalThis.neverReloaded = true;
  });
}

export async function neverReloaded(page) {
  return page.evaluate(() => globalThis.neverReloaded === true);
}

export function check(holds, what) {
  if (!holds) throw new Error(what);
}
