/** A receiver and a rule are added in the page; what fires is told, shown, notified of and taken on. */
import { createHmac } from "node:crypto";
import { createServer } from "node:http";
import { PATIENCE } from "../browser.mjs";
import { visit } from "../pages.mjs";
import { charm, check, mark, neverReloaded, periapt, signIn } from "../steps.mjs";

const KEY = "the-key-of-the-webhook-7719";

/** A webhook on this machine: its address, and what it was sent. */
async function webhook() {
  const posted = [];
  const server = createServer((request, response) => {
    const parts = [];
    request.on("data", (part) => parts.push(part));
    request.on("end", () => {
      posted.push({ headers: request.headers, body: Buffer.concat(parts).toString() });
      response.writeHead(204).end();
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { posted, server, url: `http://127.0.0.1:${server.address().port}/alerts` };
}

/** A browser that has not been asked for notifications yet, and remembers what it was asked and showed. */
function recordNotifications() {
  globalThis.asked = 0;
  globalThis.shown = [];
  globalThis.Notification = class {
    static permission = "default";

    static async requestPermission() {
      globalThis.asked += 1;
      this.permission = "granted";
      return this.permission;
    }

    constructor(title, options) {
      globalThis.shown.push({ title, ...options });
    }

    close() {}
  };
}

async function until(what, holds) {
  for (const began = Date.now(); Date.now() - began < PATIENCE; ) {
    const found = await holds();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`waited in vain for ${what}`);
}

export default async function ({ enter, world }) {
  const { posted, server, url } = await webhook();
  await periapt("model-config", "automatically-retry-hooks=false");
  const { page } = await enter();
  await page.addInitScript(recordNotifications);
  await signIn(page, world);
  await visit(page, ["alerts", "/alerts", "Alerts"]);
  await page.getByRole("heading", { name: "No firing alerts" }).waitFor();

  await page.getByRole("button", { name: "Add receiver" }).click();
  const receiver = page.getByRole("dialog", { name: "Add receiver" });
  await receiver.getByLabel("Name", { exact: true }).fill("ops");
  await receiver.getByLabel("URL", { exact: true }).fill(url);
  await receiver.getByLabel("Key", { exact: true }).fill("short");
  await receiver.getByRole("button", { name: "Add receiver" }).click();
  await receiver.getByRole("alert").getByText("16 bytes").waitFor();
  await receiver.getByLabel("Key", { exact: true }).fill(KEY);
  await receiver.getByRole("button", { name: "Add receiver" }).click();
  await receiver.waitFor({ state: "detached" });
  await page.locator('tr[data-receiver="ops"]').getByRole("button", { name: /^Test/ }).click();
  await page.getByText("ops accepted the message and answered 204").waitFor();
  const [{ headers, body }] = posted;
  const signed = createHmac("sha256", KEY).update(`${headers["x-periapt-timestamp"]}.${body}`).digest("hex");
  check(headers["x-periapt-signature"] === `sha256=${signed}`, "the message is not signed as it should be");
  check(!(await page.content()).includes(KEY), "the key is in the page");

  await page.getByRole("button", { name: "Add rule" }).click();
  const rule = page.getByRole("dialog", { name: "Add rule" });
  await rule.getByLabel("Name", { exact: true }).fill("errors");
  await rule.getByLabel("Threshold", { exact: true }).fill("0");
  await rule.getByLabel("ops (webhook)").check();
  await rule.getByRole("button", { name: "Add rule" }).click();
  await rule.waitFor({ state: "detached" });
  const row = page.locator('tr[data-rule="errors"]');
  await row.getByText("ops", { exact: true }).waitFor();

  check((await page.evaluate(() => globalThis.asked)) === 0, "the browser was asked before the visitor wanted it");
  await page.getByRole("button", { name: "Turn notifications on" }).click();
  await page.getByText("Notifications are on in this browser").waitFor();
  check((await page.evaluate(() => globalThis.asked)) === 1, "the browser was not asked");

  await mark(page);
  await periapt("deploy", charm("probe"), "probe", "--config", "script=start: fail 1000");
  const alert = page.locator('tr[data-alert="unit/probe/0"]');
  await alert.waitFor();
  const shown = await until("a notification", () => page.evaluate(() => globalThis.shown[0]));
  check(shown.title === `Alert: probe/0 in ${world.model}`, `the notification says ${shown.title}`);
  const told = await until("a message", () => posted.find((one) => JSON.parse(one.body).rule === "errors"));
  check(JSON.parse(told.body).items[0].subject === "unit/probe/0", told.body);
  await page.locator('tr[data-delivery="ops"]').filter({ hasText: "1 firing" }).filter({ hasText: "sent" }).waitFor();

  await alert.getByRole("button", { name: /^Acknowledge/ }).click();
  await alert.getByText(world.user, { exact: true }).waitFor();
  await alert.getByRole("link", { name: "probe/0" }).waitFor();

  await row.getByRole("button", { name: /^Silence/ }).click();
  const silence = page.getByRole("dialog", { name: "Silence rule errors" });
  await silence.getByRole("button", { name: "Silence", exact: true }).click();
  await silence.waitFor({ state: "detached" });
  await row.getByText("nobody; silent").waitFor();
  await row.getByRole("button", { name: /^Remove/ }).click();
  const remove = page.getByRole("dialog", { name: "Remove rule errors" });
  await remove.getByRole("button", { name: "Remove", exact: true }).click();
  await row.waitFor({ state: "detached" });
  await page.getByRole("heading", { name: "No firing alerts" }).waitFor();
  check(await neverReloaded(page), "the page was loaded anew");
  server.close();
}
