import { useMemo } from "react";
import { useModel } from "../live/context";
import { useAllowed } from "../session";
import { CONTROLLER_MODEL } from "./controllerModel";
import type { Things } from "./verbs";

/** What verbs can be about in the model whose page is open; nothing where the visitor may change nothing. */
export function useThings(model: string | null): Things | null {
  const { applications, units, charms } = useModel(model ?? "");
  const mayWrite = useAllowed(model ?? "", "write");
  return useMemo(() => {
    if (model === null || model === CONTROLLER_MODEL || !mayWrite) return null;
    return {
      applications: applications.filter(({ life }) => life === "alive").map(({ name }) => name),
      failed: units.filter(({ workload }) => workload.status === "error").map(({ name }) => name),
      charms: charms.map(({ url }) => url),
    };
  }, [model, mayWrite, applications, units, charms]);
}
