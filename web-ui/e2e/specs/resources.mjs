/** A file is attached to an application from the page, and one that cannot be is refused. */
import { visit } from "../pages.mjs";
import { charm, check, periapt, signIn } from "../steps.mjs";

const file = (content) => ({ name: "theme.css", mimeType: "text/css", buffer: Buffer.from(content) });

async function attach(page, content) {
  await page.getByRole("button", { name: "Upload theme" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("File", { exact: true }).setInputFiles(file(content));
  await dialog.getByRole("button", { name: "Attach", exact: true }).click();
  return dialog;
}

export default async function ({ enter, world }) {
  await periapt("deploy", charm("site"), "site");
  await periapt("deploy", charm("noop"), "quiet");
  const { page } = await enter();
  await signIn(page, world);
  await visit(page, ["resources", `/models/${world.model}/applications/site/resources`, "site"]);
  const row = page.locator('tr[data-resource="theme"]');
  await row.getByText("not attached").waitFor();

  await page.getByRole("button", { name: "Upload theme" }).click();
  const asking = page.getByRole("dialog");
  check(await asking.getByRole("button", { name: "Attach", exact: true }).isDisabled(), "nothing can be attached");
  await page.keyboard.press("Escape");
  await asking.waitFor({ state: "detached" });

  await (await attach(page, "h1 { color: teal }")).waitFor({ state: "detached" });
  await row.locator('[data-label="Revision"]').getByText("1", { exact: true }).waitFor();
  await row.getByText("18 B", { exact: true }).waitFor();
  check((await row.locator("[title]").first().getAttribute("title")).length > 0, "the digest is not there as a whole");

  const refusal = { status: 413, code: "resource-too-large", title: "The resource was refused", detail: "it is too large" };
  const uploads = "**/applications/site/resources/theme";
  await page.route(uploads, (route) => route.fulfill({ status: 413, json: refusal }));
  const refused = await attach(page, "h1 { color: navy }");
  await refused.getByText("The resource was refused").waitFor();
  await page.unroute(uploads);
  await refused.getByRole("button", { name: "Attach", exact: true }).click();
  await refused.waitFor({ state: "detached" });
  await row.locator('[data-label="Revision"]').getByText("2", { exact: true }).waitFor();

  await visit(page, ["none", `/models/${world.model}/applications/quiet/resources`, "quiet"]);
  await page.getByRole("heading", { name: "This charm has no resources" }).waitFor();
}
