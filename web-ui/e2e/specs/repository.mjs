/** A charm of the controller's charm repository is deployed from the page, and its application follows the channel. */
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { api, charm, check, periapt, signIn } from "../steps.mjs";

export default async function ({ enter, world }) {
  const repository = await mkdtemp(join(tmpdir(), "periapt-test-charms-"));
  await periapt("charm", "publish", charm("noop"), repository, "--channel", "edge");
  const { page } = await enter();
  await signIn(page, world, `/models/${world.model}/deploy`);

  // A controller without a repository offers none.
  await page.getByLabel("Upload a .charm file").waitFor();
  check((await page.getByLabel("or choose one from the charm repository").count()) === 0, "there is a repository");

  await periapt("controller-config", `charm-repository=${repository}`);
  await page.reload();
  const choice = page.getByLabel("or choose one from the charm repository");
  await choice.selectOption({ label: "noop, edge, revision 0" });
  await page.getByRole("button", { name: "Fetch", exact: true }).click();
  await page.getByRole("status").filter({ hasText: "local:noop-0" }).waitFor();
  await page.getByLabel("Application name").fill("quiet");
  await page.getByText("deploy -m test noop --channel edge quiet").waitFor();
  await page.getByRole("button", { name: "Deploy", exact: true }).click();
  await page.getByRole("heading", { name: "quiet", exact: true }).waitFor();
  const found = await api(page, "GET", `/v1/models/${world.model}/applications/quiet`);
  check(found.channel === "edge", `its channel is ${found.channel}`);

  await page.route("**/charm-repository/take", (route) =>
    route.fulfill({
      status: 503,
      json: { status: 503, code: "charm-repository-unavailable", title: "The charm was refused", detail: "no answer" },
    }),
  );
  await page.goto(`/models/${world.model}/deploy`);
  await choice.selectOption({ label: "noop, edge, revision 0" });
  await page.getByRole("button", { name: "Fetch", exact: true }).click();
  await page.getByRole("alert").getByText("no answer").waitFor();
}
