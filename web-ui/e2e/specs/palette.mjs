/** From Ctrl+K on, with the keyboard alone: scale, add a machine, retry, integrate, and what has a page of its own. */
import { PATIENCE } from "../browser.mjs";
import { api, charm, check, live, periapt, signIn } from "../steps.mjs";

/** Types into the search field, from wherever the focus is, and chooses the first row. */
async function choose(page, typed) {
  await page.keyboard.press("Control+k");
  await page.keyboard.type(typed);
  await page.getByRole("option", { selected: true }).filter({ hasText: "do" }).waitFor();
  await page.keyboard.press("Enter");
}

/** Goes to a button of the dialog with Tab, and presses it. */
async function press(page, name) {
  for (let tabs = 0; tabs < 30; tabs += 1) {
    const at = await page.evaluate(() => document.activeElement?.textContent ?? "");
    if (at === name) {
      await page.keyboard.press("Enter");
      return;
    }
    await page.keyboard.press("Tab");
  }
  throw new Error(`Tab never came to ${name}`);
}

export default async function ({ enter, world }) {
  await periapt("model-config", "automatically-retry-hooks=false");
  await periapt("deploy", charm("site"), "site");
  await periapt("deploy", charm("front"), "front");
  await periapt("deploy", charm("hub"), "hub");
  await periapt("deploy", charm("probe"), "probe", "--config", "script=start: fail 1");
  await periapt("wait-for", "application", "site", "--timeout", "3m");
  await periapt("wait-for", "unit", "probe/0", "--query", 'workload-status == "error"', "--timeout", "3m");
  const { page } = await enter();
  await signIn(page, world, `/models/${world.model}`);
  const list = async (what) => (await api(page, "GET", `/v1/models/${world.model}/${what}`)).items;
  const until = async (what, holds) => {
    for (const began = Date.now(); Date.now() - began < PATIENCE; ) {
      if (await holds()) return;
      await page.waitForTimeout(200);
    }
    throw new Error(`waited in vain for ${what}`);
  };

  await choose(page, "scale site 2");
  const scale = page.getByRole("dialog", { name: "Scale site" });
  check((await scale.getByLabel("Units", { exact: true }).inputValue()) === "2", "the number is not filled in");
  await page.keyboard.press("Enter");
  await scale.waitFor({ state: "detached" });
  await until("a second unit", async () => (await list("units")).some(({ name }) => name === "site/1"));

  const before = (await list("machines")).length;
  await choose(page, "add machine 2");
  const machines = page.getByRole("dialog", { name: "Add machines" });
  await machines.waitFor();
  await page.keyboard.press("Enter");
  await machines.waitFor({ state: "detached" });
  check((await list("machines")).length >= before + 2, "no machines were added");

  // A verb alone is typed on.
  await choose(page, "retr");
  const field = page.getByRole("combobox", { name: "Search everything" });
  check((await field.inputValue()) === "retry ", "the verb is not typed on");
  await page.keyboard.press("Enter");
  const retry = page.getByRole("dialog", { name: "Retry the hook of probe/0" });
  await retry.waitFor();
  await press(page, "Retry hook");
  await retry.waitFor({ state: "detached" });
  await until("the unit's recovery", async () => {
    const unit = (await list("units")).find(({ name }) => name === "probe/0");
    return unit.workload.status !== "error";
  });

  await choose(page, "integrate front hub");
  const integrate = page.getByRole("dialog", { name: "Integrate front" });
  await integrate.waitFor();
  const other = await integrate.getByLabel("Related to", { exact: true }).inputValue();
  check(other.startsWith("hub:"), `what is related to is ${other}`);
  await press(page, "Integrate");
  await integrate.waitFor({ state: "detached" });
  await until("the relation", async () => (await list("relations")).some(({ key }) => /front/.test(key) && /hub/.test(key)));

  await choose(page, "remove site");
  const remove = page.getByRole("dialog", { name: /site/ });
  await remove.waitFor();
  await page.keyboard.press("Escape");
  await remove.waitFor({ state: "detached" });

  await choose(page, "config site");
  await page.waitForURL(/\/applications\/site\/config$/);
  await live(page);
  await choose(page, "deploy local:site-0");
  await page.getByRole("heading", { level: 1, name: "Deploy", exact: true }).waitFor();
  check(page.url().includes("charm=local%3Asite-0"), page.url());

  // Names are found as ever.
  await page.keyboard.press("Control+k");
  await page.keyboard.type("front/0");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "front/0", exact: true }).waitFor();
}
