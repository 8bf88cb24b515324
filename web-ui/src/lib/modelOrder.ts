/** The order of models on their page. Pure. */
import { micros } from "../components/charts/time";
import type { ModelSummary } from "../api/types";
import { natural } from "./attention";

/** What an address calls an order, and what a person does; the first is that of an address that names none. */
export const MODEL_ORDERS = [
  ["", "Trouble first"],
  ["name", "By name"],
  ["owner", "By owner"],
  ["units", "Most units first"],
  ["newest", "Newest first"],
] as const;

interface Counted {
  model: Pick<ModelSummary, "name" | "owner" | "units" | "created-at">;
  /** How much of it needs a person. */
  trouble: number;
}

export function orderedModels<M extends Counted>(models: readonly M[], order: string): M[] {
  const before: Record<string, (a: M, b: M) => number> = {
    name: () => 0,
    owner: (a, b) => natural(a.model.owner, b.model.owner),
    units: (a, b) => b.model.units - a.model.units,
    newest: (a, b) => micros(b.model["created-at"]) - micros(a.model["created-at"]),
  };
  const compare = before[order] ?? ((a, b) => b.trouble - a.trouble);
  return [...models].sort((a, b) => compare(a, b) || natural(a.model.name, b.model.name));
}
