/** A private key is set, replaced and unset in the page; nobody reads it, whoever they are. */
import { api, check, enterAs, live, signIn } from "../steps.mjs";

const KEY = "-----BEGIN PRIVATE KEY-----\nTHE-SECRET-OF-THIS-MODEL\n-----END PRIVATE KEY-----";
const PART = "THE-SECRET-OF";
const NAME = "syslog-client-key";

/** Whatever the controller answers to this page is looked through. */
function listen(page, leaks) {
  page.on("response", async (response) => {
    const body = response.headers()["content-type"]?.includes("event-stream") ? "" : await response.text().catch(() => "");
    if (body.includes(PART)) leaks.push(response.url());
  });
}

async function hidden(page) {
  const shown = await page.evaluate(() =>
    [document.body.innerText, ...[...document.querySelectorAll("input, textarea")].map(({ value }) => value)].join("\n"),
  );
  check(!shown.includes(PART), "the page shows the key");
}

export default async function ({ enter, world }) {
  const leaks = [];
  const { page } = await enter();
  listen(page, leaks);
  const path = `/models/${world.model}/config`;
  await signIn(page, world, path);
  const field = page.locator(".config-field").filter({ has: page.getByText(NAME, { exact: true }) });
  await field.getByText("Not set.").waitFor();
  await field.getByText("secret", { exact: true }).waitFor();

  await field.getByRole("button", { name: `Set: ${NAME}` }).click();
  await field.getByRole("textbox").fill(KEY);
  await page.getByRole("button", { name: "Review 1 change" }).click();
  await page.getByText("(new value, not shown)").waitFor();
  await page.getByText(`${NAME}=@FILE`).first().waitFor();
  await hidden(page);
  await page.getByRole("button", { name: "Apply" }).click();
  await field.getByText("Set. The value is not shown.").waitFor();
  await page.reload();
  await live(page);
  await field.getByText("Set. The value is not shown.").waitFor();
  await hidden(page);

  const reader = await enterAs(enter, page, "reader");
  listen(reader.page, leaks);
  await api(page, "PUT", `/v1/models/${world.model}/access/reader`, { access: "read" });
  await signIn(reader.page, { ...world, ...reader }, path);
  await reader.page.getByText("Set. The value is not shown.").waitFor();
  await hidden(reader.page);
  check((await reader.page.getByRole("button", { name: `Replace: ${NAME}` }).count()) === 0, "a reader may replace it");

  // Other options say who set them, what they are and what they would be.
  const deadline = page.locator(".config-field").filter({ has: page.getByText("removal-deadline", { exact: true }) });
  await deadline.getByText("duration", { exact: true }).waitFor();
  await deadline.getByText("default", { exact: true }).waitFor();
  check((await deadline.getByRole("button", { name: /Unset|Reset/ }).count()) === 0, "what nobody set can be unset");
  await page.getByLabel("removal-deadline", { exact: true }).fill("12h");
  await page.getByRole("button", { name: "Review 1 change" }).click();
  await page.getByRole("button", { name: "Apply" }).click();
  await deadline.getByRole("button", { name: "Reset to default: removal-deadline" }).waitFor();
  await deadline.getByText("default “24h”").waitFor();

  await field.getByRole("button", { name: `Unset: ${NAME}` }).click();
  await page.getByRole("button", { name: "Review 1 change" }).click();
  await page.getByRole("button", { name: "Apply" }).click();
  await field.getByText("Not set.").waitFor();
  check(leaks.length === 0, `the key was answered by ${leaks.join(", ")}`);
}
