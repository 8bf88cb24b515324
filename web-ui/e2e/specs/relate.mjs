/** Integrate from the page, see what it brings, suspend, resume, remove: all before one's eyes. */
import { charm, check, mark, neverReloaded, periapt, signIn, unitRow } from "../steps.mjs";

const KEY = "front:website hub:website";
const TITLE = "front:website – hub:website";

export default async function ({ enter, world }) {
  await periapt("deploy", charm("hub"), "hub");
  await periapt("deploy", charm("front"), "front");
  await periapt("deploy", charm("shipper"), "shipper");
  const { page } = await enter();
  await signIn(page, world, `/models/${world.model}/applications/front/relations`);
  await page.getByRole("heading", { name: "front has no relations" }).waitFor();
  await mark(page);

  // Only what fits is offered: the hub's website, and the shipper for every principal.
  const dialog = page.getByRole("dialog");
  await page.getByRole("button", { name: "Integrate", exact: true }).first().click();
  const others = await dialog.getByLabel("Related to").locator("option").allTextContents();
  check(others.length === 1 && others[0].startsWith("hub:website"), `offered: ${others.join("; ")}`);
  await dialog.getByText(`integrate -m ${world.model} front:website hub:website`).waitFor();
  await dialog.getByRole("button", { name: "Integrate" }).click();
  await dialog.waitFor({ state: "detached" });
  const row = page.locator("tr[data-relation]").filter({ hasText: "hub:website" });
  await row.filter({ hasText: "joined" }).waitFor();

  // The controller's own sentence when it refuses.
  await page.route("**/relations", (route) =>
    route.request().method() === "POST"
      ? route.continue({ postData: JSON.stringify({ endpoints: ["front:website", "shipper:logs"] }) })
      : route.continue(),
  );
  await page.getByRole("button", { name: "Integrate", exact: true }).first().click();
  await dialog.getByRole("button", { name: "Integrate" }).click();
  await dialog.getByRole("alert").getByText(/fit together/).waitFor();
  await page.unroute("**/relations");

  // A subordinate's unit comes to life under its principal.
  await dialog.getByLabel("Its endpoint").selectOption("front:juju-info");
  await dialog.getByRole("button", { name: "Integrate" }).click();
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("link", { name: /^Units/ }).click();
  await unitRow(page, "shipper/0").locator(".is-nested").waitFor();
  await page.getByRole("link", { name: "shipper/0", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: "shipper/0" }).waitFor();
  await page.getByRole("term").filter({ hasText: "Principal" }).waitFor();

  // What both sides tell each other, found by the search.
  await page.keyboard.press("/");
  await page.keyboard.type("front:website");
  await page.getByRole("option", { name: /relation/ }).first().click();
  await page.getByRole("heading", { level: 1, name: TITLE }).waitFor();
  for (const side of ["front", "hub"]) {
    const settings = page.getByRole("region", { name: `Settings of ${side}:website` });
    await settings.getByText("ingress-address").first().waitFor();
  }

  // The line between them in the picture leads there too, also with the keyboard.
  await page.keyboard.press("/");
  await page.keyboard.type("topology");
  await page.getByRole("option", { name: /Topology/ }).first().click();
  await page.getByRole("link", { name: /website – \w+:website/ }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: TITLE }).waitFor();

  await page.getByRole("button", { name: "Suspend" }).click();
  await dialog.getByLabel("Reason").fill("moving house");
  await dialog.getByRole("button", { name: "Suspend" }).click();
  await page.getByText("moving house").first().waitFor();
  await page.getByRole("button", { name: "Resume" }).click();
  await page.getByRole("button", { name: "Suspend" }).waitFor();
  await page.locator("header.page-head").getByText("joined").waitFor();

  await page.getByRole("button", { name: "Remove" }).click();
  const remove = dialog.getByRole("button", { name: "Remove relation" });
  check(await remove.isDisabled(), "removal without the name typed");
  await dialog.getByLabel(/to confirm/).fill(KEY);
  await remove.click();
  await page.locator("tr[data-relation]").filter({ hasText: "hub:website" }).waitFor({ state: "detached" });

  // With the subordinate's relation its unit goes, and the dialog says so.
  await page.getByRole("button", { name: /^Remove shipper:logs/ }).click();
  await dialog.getByText("shipper/0").waitFor();
  await dialog.getByLabel(/to confirm/).fill("shipper:logs front:juju-info");
  await remove.click();
  await page.locator("tr[data-relation]").filter({ hasText: "shipper:logs" }).waitFor({ state: "detached" });
  check(await neverReloaded(page), "the page was loaded anew");
}
