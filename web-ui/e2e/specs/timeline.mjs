/** What changed, as one list; a time that is drawn over it holds for the log and the hooks, and is in the address. */
import { visit } from "../pages.mjs";
import { charm, check, enterAs, periapt, api, signIn } from "../steps.mjs";

export default async function ({ enter, world }) {
  const { model } = world;
  await periapt("deploy", charm("site"), "site", "--config", "title=First");
  await periapt("wait-for", "application", "site", "--timeout", "3m");
  await periapt("config", "site", "title=Second");
  const { page } = await enter();
  await signIn(page, world);
  await visit(page, ["timeline", `/models/${model}/timeline`, model]);
  const list = page.getByRole("list", { name: "What changed" });
  await list.getByText('changed title of site from "First" to "Second"').waitFor();
  await list.getByText(/^admin changed title of site/).waitFor();
  await list.getByText(/^admin deployed .* as site/).waitFor();
  await list.getByText(/^site\/0 became active/).first().waitFor();
  await list.getByRole("link", { name: /^ran install of site\/0/ }).waitFor();

  await page.getByLabel("Kind").selectOption("config");
  await page.waitForURL(/kinds=config/);
  await list.getByText(/became active/).first().waitFor({ state: "detached" });
  await list.getByText('changed title of site from "First" to "Second"').waitFor();
  check((await list.getByRole("listitem").count()) === 1, "other things than settings are shown");
  await page.getByRole("button", { name: "Clear filters" }).click();
  await list.getByText(/^admin deployed .* as site/).waitFor();

  // Drawn with the pointer, kept in the address, and taken along.
  const brush = page.locator(".time-brush svg");
  const box = await brush.boundingBox();
  await page.mouse.move(box.x + box.width * 0.02, box.y + 20);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.98, box.y + 20, { steps: 5 });
  await page.mouse.up();
  await page.waitForURL(/from=.*&to=/);
  const chosen = (url) => {
    const { searchParams } = new URL(url);
    return `${searchParams.get("from")} ${searchParams.get("to")}`;
  };
  const range = chosen(page.url());
  for (const tab of ["Logs", "Hooks", "Timeline"]) {
    await page.getByRole("navigation", { name: "Model", exact: true }).getByRole("link", { name: tab, exact: true }).click();
    await page.waitForURL((url) => url.pathname.endsWith(tab.toLowerCase()));
    check(chosen(page.url()) === range, `${tab} has another time than was chosen`);
    check((await page.getByLabel(/^From \(UTC/).inputValue()) !== "", `${tab} does not show the time`);
  }
  // A time in which nothing happened.
  await page.goto(`/models/${model}/timeline?from=2020-01-01T00:00:00Z&to=2020-01-02T00:00:00Z`);
  await page.getByRole("heading", { name: "Nothing changed" }).waitFor();
  await page.getByRole("button", { name: "All times" }).click();
  await list.getByText(/^admin deployed .* as site/).waitFor();

  // Readers see what changed, not who changed it.
  const reader = await enterAs(enter, page, "reader");
  await api(page, "PUT", `/v1/models/${model}/access/reader`, { access: "read" });
  await signIn(reader.page, { ...world, ...reader });
  await visit(reader.page, ["timeline", `/models/${model}/timeline`, model]);
  const theirs = reader.page.getByRole("list", { name: "What changed" });
  await theirs.getByText('changed title of site from "First" to "Second"').waitFor();
  check((await theirs.getByText(/^admin/).count()) === 0, "a reader sees who changed what");
}
