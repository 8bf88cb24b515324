/** On a phone: the menu can be read, the chosen tab is seen, nothing is stretched or scrolls aside. */
import { charm, check, live, periapt, signIn } from "../steps.mjs";

export default async function ({ enter, world }) {
  await periapt("deploy", charm("noop"), "site");
  const { page } = await enter({ width: 360, height: 780 });
  await signIn(page, world, `/models/${world.model}`);

  const menu = page.getByRole("button", { name: "Menu" });
  for (const pressed of [false, true]) {
    if (pressed) await menu.click();
    const looks = await menu.evaluate((element) => {
      const { color, backgroundColor } = getComputedStyle(element);
      return { color, backgroundColor };
    });
    check(contrast(looks.color, looks.backgroundColor) > 4.5, `the menu is ${looks.color} on ${looks.backgroundColor}`);
  }
  await page.getByRole("link", { name: "Controller", exact: true }).waitFor();

  for (const tab of ["audit", "logs", "config"]) {
    await page.goto(`/models/${world.model}/${tab}`);
    await live(page);
    const seen = await page.locator(".tabs a.active").evaluate((element) => {
      const [own, strip] = [element.getBoundingClientRect(), element.closest(".tabs").getBoundingClientRect()];
      return own.left >= strip.left - 1 && own.right <= strip.right + 1;
    });
    check(seen, `the tab of ${tab} is out of sight`);
    check((await page.evaluate(() => scrollY)) === 0, `${tab} was scrolled down`);
  }

  await page.goto(`/models/${world.model}/audit`);
  const pill = page.locator(".result").first();
  await pill.waitFor();
  const wide = await pill.evaluate((element) => element.getBoundingClientRect().width);
  check(wide < 150, `a result is ${wide} px wide`);

  await page.goto("/docs/api");
  for (const details of await page.locator("details").all()) {
    await details.evaluate((element) => {
      element.open = true;
    });
  }
  const overflow = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  check(overflow <= 1, `/docs/api is ${overflow} px too wide`);
}

/** WCAG's contrast of two colours; one that is not opaque lies on the dark side bar. */
function contrast(...colours) {
  const [one, other] = colours.map((colour) => {
    const [red, green, blue, alpha = 1] = colour.match(/[\d.]+/g).map(Number);
    const over = [red, green, blue].map((part) => part * alpha + 38 * (1 - alpha));
    const [r, g, b] = over.map((part) => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  });
  return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
}
