/** The page of one run: why it failed, what it used, what had changed since; its address is a link to share. */
import { hookRun, visit } from "../pages.mjs";
import { check, enterWithFailedProbe, live, periapt } from "../steps.mjs";

export default async function ({ enter, world }) {
  const { model } = world;
  const page = await enterWithFailedProbe(enter, world);
  const failed = await hookRun(page, model, "hook=start&result=failed");
  await visit(page, ["hook-run", `/models/${model}/hooks/${failed}`, "start of probe/0"]);
  await page.getByRole("note", { name: "Failure" }).getByText(/told to fail/).waitFor();
  const limits = page.getByRole("region", { name: "Limits" });
  for (const name of ["Memory", "Host calls"]) {
    const used = Number(await limits.getByLabel(name, { exact: true }).getAttribute("value"));
    check(used > 0, `${name}: ${used}`);
  }
  await page.getByText("none before this one").waitFor();
  await page.getByRole("region", { name: "Lines logged by this run" }).filter({ hasText: 'hook "start" failed' }).waitFor();

  // Fixed and retried: another run, which is compared with others of its hook.
  await periapt("config", "probe", "script=start: port open 8080/tcp");
  await periapt("resolved", "probe/0");
  await page.waitForFunction(
    async (path) => {
      const answer = await fetch(path);
      return (await answer.json()).items.length > 0;
    },
    `/v1/models/${model}/hooks?hook=start&result=ok`,
    { timeout: 60_000, polling: 500 },
  );
  const good = await hookRun(page, model, "hook=start&result=ok");
  await visit(page, ["hook-run", `/models/${model}/hooks/${good}`, "start of probe/0"]);
  const effects = page.getByRole("region", { name: "Effects" });
  await effects.getByText(/8080\/tcp/).first().waitFor();
  await page.getByText(/p50 .* over 1 run\)/).waitFor();
  check((await page.getByRole("region", { name: "Changed since the last good run" }).count()) === 0, "since which run?");

  // Whoever gets the link signs in and sees the same.
  const other = await enter();
  await other.page.goto(`/models/${model}/hooks/${failed}`);
  await other.page.getByLabel("User", { exact: true }).fill(world.user);
  await other.page.getByLabel("Password", { exact: true }).fill(world.password);
  await other.page.getByRole("button", { name: "Sign in" }).click();
  await live(other.page);
  await other.page.getByRole("heading", { level: 1, name: "start of probe/0" }).waitFor();
  await other.page.getByRole("note", { name: "Failure" }).waitFor();

  // Found from the chart of all hooks.
  await visit(page, ["hooks", `/models/${model}/hooks?run=${failed}`, model]);
  await page.getByRole("link", { name: "Run details" }).click();
  await page.waitForURL((url) => url.pathname.endsWith(`/hooks/${failed}`));
}
