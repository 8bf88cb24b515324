/** The sign-in page says where the password is, and why somebody is not let in. */
import { api, check, live, signIn } from "../steps.mjs";

async function attempt(page, user, password) {
  await page.getByLabel("User", { exact: true }).fill(user);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
}

export default async function ({ enter, world }) {
  const admin = await enter();
  await signIn(admin.page, world);
  await api(admin.page, "POST", "/v1/users", { name: "bob", "display-name": "", password: "a password of bob" });
  await api(admin.page, "PATCH", "/v1/users/bob", { disabled: true });

  const { page } = await enter();
  await page.goto("/");
  await page.getByRole("heading", { name: "Sign in to the controller" }).waitFor();
  const help = await page.locator(".door__help").innerText();
  check(help.includes("periapt dashboard"), `the help says: ${help}`);
  check(!help.includes("accounts.yaml") && !/answer of/.test(help), `the help says: ${help}`);

  const alert = page.getByRole("alert");
  await attempt(page, "bob", "a guess");
  await alert.getByText("Wrong user name or password").waitFor();
  await attempt(page, "bob", "a password of bob");
  await alert.getByText("This account is disabled").waitFor();
  await alert.getByText("periapt enable-user").waitFor();
  check(!(await alert.innerText()).includes("`"), "a backquote is shown");

  for (let guess = 0; guess < 5; guess += 1) {
    const answered = page.waitForResponse((response) => response.url().endsWith("/v1/session"));
    await attempt(page, "nobody", `guess ${guess}`);
    await answered;
  }
  await attempt(page, "nobody", "one more guess");
  await alert.getByText("Too many failed attempts").waitFor();
  await alert.getByText(/Wait \d+ s, then try again|You can try again now/).waitFor();

  // The controller itself may refuse this address now; its own words are sentences too.
  await page.route("**/v1/session", (route) => route.abort());
  await attempt(page, "bob", "anything");
  await alert.getByText("The controller does not answer").waitFor();
  const words = await alert.innerText();
  check(!words.includes("..") && !words.includes("`"), `unreachable: ${words}`);
  await page.unroute("**/v1/session");
  await live(admin.page);
}
