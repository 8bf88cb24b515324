/** What of a model's picture fits a filter, and what is related to it. Pure. */
import type { ApplicationInfo, RelationInfo } from "../api/types";
import { applicationStatus, narrowedApplications, type Wanted } from "./overview";

export interface NarrowedPicture<R> {
  /** Of all applications that have the words, whatever their status. */
  statuses: string[];
  /** Applications that fit. */
  fitting: ReadonlySet<string>;
  /** Applications that do not fit and are related to one that does. */
  neighbours: ReadonlySet<string>;
  /** Relations of those that fit. Between two neighbours none is drawn: nobody looked for it. */
  relations: R[];
}

export function narrowedPicture<R extends Pick<RelationInfo, "endpoints">>(
  applications: readonly ApplicationInfo[],
  relations: readonly R[],
  wanted: Wanted,
): NarrowedPicture<R> {
  const { found, shown } = narrowedApplications(applications, wanted);
  const fitting = new Set(shown.map(({ name }) => name));
  const own = relations.filter(({ endpoints }) => endpoints.some((end) => fitting.has(end.application)));
  const ends = own.flatMap(({ endpoints }) => endpoints.map((end) => end.application));
  return {
    statuses: found.map(applicationStatus),
    fitting,
    neighbours: new Set(ends.filter((name) => !fitting.has(name))),
    relations: own,
  };
}
