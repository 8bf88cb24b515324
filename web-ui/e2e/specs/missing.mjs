/** What is not there, or not for this visitor, says so instead of loading for ever. */
import { api, charm, check, enterAs, live, periapt, signIn } from "../steps.mjs";

async function saysNoModel(page, path, model) {
  const asked = [];
  const note = (request) => asked.push(request.url());
  page.on("request", note);
  await page.goto(path);
  await page.getByRole("heading", { name: `There is no model ${model} that you can see` }).waitFor();
  check((await page.locator(".skeleton").count()) === 0, `${path} goes on loading`);
  check((await page.getByText(/^Stale since/).count()) === 0, `${path} calls itself stale`);
  for (const name of ["Deploy", "Destroy model"]) {
    const buttons = await page.getByRole("button", { name }).count();
    const links = await page.getByRole("link", { name, exact: true }).count();
    check(buttons + links === 0, `${path} offers ${name}`);
  }
  asked.length = 0;
  await page.waitForTimeout(3_000);
  page.off("request", note);
  check(asked.length === 0, `${path} goes on asking: ${asked.join(", ")}`);
}

export default async function ({ enter, world }) {
  await periapt("add-model", "hidden");
  await periapt("deploy", "-m", world.model, charm("noop"), "site");
  const { page } = await enter();
  await signIn(page, world);
  for (const path of ["", "/logs", "/applications/site", "/units/site/0", "/machines/0", "/deploy"]) {
    await saysNoModel(page, `/models/nosuch${path}`, "nosuch");
  }
  // It is found as soon as it is there.
  await periapt("add-model", "nosuch");
  await page.goto("/models/nosuch2");
  await page.getByRole("heading", { name: /There is no model nosuch2/ }).waitFor();
  await periapt("add-model", "nosuch2");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("heading", { name: "This model is empty" }).waitFor();

  // The controller's own model is neither deployed to nor destroyed.
  await page.goto("/models/controller");
  await page.getByRole("heading", { level: 1, name: "controller" }).waitFor();
  await live(page);
  check((await page.getByRole("button", { name: "Destroy model" }).count()) === 0, "the controller's model offers Destroy");
  check((await page.locator("a.p-button--positive").count()) === 0, "the controller's model offers Deploy");

  await page.goto(`/models/${world.model}/machines/9999`);
  await page.getByText("no machine ever had this number", { exact: false }).waitFor();
  check((await page.getByRole("alert").count()) === 0, "an error beside what is not there");

  const reader = await enterAs(enter, page, "reader");
  await api(page, "PUT", `/v1/models/${world.model}/access/reader`, { access: "read" });
  const refused = [];
  reader.page.on("response", (response) => {
    if (response.status() === 403) refused.push(response.url());
  });
  await signIn(reader.page, { ...world, ...reader }, `/models/${world.model}`);
  await reader.page.getByRole("link", { name: "Configuration" }).waitFor();
  for (const name of ["Access", "Audit"]) {
    check((await reader.page.getByRole("link", { name, exact: true }).count()) === 0, `a reader sees the tab ${name}`);
  }
  check((await reader.page.locator("header.page-head .p-button--positive").count()) === 0, "a reader may deploy");
  await saysNoModel(reader.page, "/models/hidden", "hidden");
  for (const path of ["/users", "/users/admin", "/audit", "/workers", `/models/${world.model}/access`, `/models/${world.model}/audit`, `/models/${world.model}/deploy`]) {
    await reader.page.goto(path);
    await reader.page.getByRole("heading", { name: "You do not have access to this page" }).waitFor();
    check((await reader.page.getByRole("alert").count()) === 0, `${path} shows an error`);
    check((await reader.page.getByRole("button", { name: "Add user" }).count()) === 0, `${path} offers Add user`);
  }
  check(refused.length === 0, `asked in vain: ${refused.join(", ")}`);
}
