/** Every page, for the walks over all of them: its name, its address, what shows that it is there. */
export function pages(model, { application, unit, machine, charm, user }) {
  const part = encodeURIComponent;
  const m = `/models/${part(model)}`;
  return [
    ["models", "/models", "Models"],
    ["model", m, model],
    ["topology", `${m}/topology`, model],
    ["hooks", `${m}/hooks`, model],
    ["logs", `${m}/logs?level=DEBUG`, model],
    ["charms", `${m}/charms`, model],
    ["model-config", `${m}/config`, model],
    ["access", `${m}/access`, model],
    ["model-audit", `${m}/audit`, model],
    ["deploy", `${m}/deploy`, "Deploy"],
    ["charm", `${m}/charms/${part(charm)}`, charm],
    ["machine", `${m}/machines/${machine}`, `Machine ${machine}`],
    ["application", `${m}/applications/${application}`, application],
    ["config", `${m}/applications/${application}/config`, application],
    ["history", `${m}/applications/${application}/history`, application],
    ["unit", `${m}/units/${unit}`, unit],
    ["unit-history", `${m}/units/${unit}?view=history`, unit],
    ["unit-log", `${m}/units/${unit}?view=log`, unit],
    ["audit", "/audit", "Audit"],
    ["workers", "/workers", "Workers"],
    ["controller", "/controller", "Controller"],
    ["users", "/users", "Users"],
    ["user", `/users/${part(user)}`, user],
    ["account", "/account", "Account"],
    ["not-found", "/nowhere", "No such page"],
  ];
}

/** Goes there and waits until nothing is loading. */
export async function visit(page, [name, path, title]) {
  await page.goto(path);
  await page.getByRole("heading", { level: 1, name: title, exact: true }).waitFor();
  await page.locator(".loading").first().waitFor({ state: "detached", timeout: 15_000 }).catch(() => {
    throw new Error(`${name} (${path}) goes on loading`);
  });
  await page.waitForTimeout(300);
}

/** Something on every page: two applications, one in error, and what they bring. */
export async function furnish(periapt, charmFile) {
  await periapt("model-config", "automatically-retry-hooks=false");
  await periapt("deploy", charmFile("site"), "site", "-n", "3", "--config", "title=Shop");
  await periapt("deploy", charmFile("probe"), "probe", "--config", "script=start: fail 1000");
  await periapt("wait-for", "application", "site", "--timeout", "3m");
  await periapt(
    "wait-for", "unit", "probe/0", "--query", 'workload-status == "error"', "--timeout", "3m",
  );
  return { application: "site", unit: "probe/0", machine: "0", charm: "local:site-0", user: "admin" };
}
