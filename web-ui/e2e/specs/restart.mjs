/** The controller goes and comes back: the page says since when it is stale, and catches up. */
import { check, enterWithProbe, live, mark, neverReloaded, periapt, unitSays } from "../steps.mjs";

export default async function ({ enter, world }) {
  const page = await enterWithProbe(enter, world, "start: status active before");
  await unitSays(page, "probe/0", "active", "before");
  await mark(page);
  await periapt("controller", "stop");
  await page.getByText(/^Stale since \d\d:\d\d:\d\d$/).waitFor();
  await periapt("controller", "start");
  await live(page);
  await periapt("config", "probe", "script=config-changed: status active after");
  await unitSays(page, "probe/0", "active", "after");
  check(await neverReloaded(page), "the page was loaded anew");
}
