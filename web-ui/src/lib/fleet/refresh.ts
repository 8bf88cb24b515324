/** Where applications are refreshed to. Pure. */
import type { ApplicationInfo, CharmInfo } from "../../api/types";

/** The newest revision of the application's charm in the model, if it is newer than what runs. */
export function newestOf(application: ApplicationInfo, charms: readonly CharmInfo[]): CharmInfo | null {
  let newest: CharmInfo | null = null;
  for (const charm of charms) {
    if (charm.name !== application["charm-name"] || charm.revision <= application["charm-revision"]) continue;
    if (newest === null || charm.revision > newest.revision) newest = charm;
  }
  return newest;
}
