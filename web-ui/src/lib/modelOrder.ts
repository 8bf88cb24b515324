/** Which models their page shows, in what order and in which groups. Pure. */
import { micros } from "../components/charts/time";
import type { ModelSummary } from "../api/types";
import { natural, severity } from "./attention";

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

/** Those that have every word in their name, owner, cloud, status or message. */
export function matchingModels<M extends { model: Described }>(models: readonly M[], typed: string): M[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  return models.filter(({ model }) => {
    const text = [model.name, model.owner, model.cloud, model.region, stateOf(model), model.status.message].join(" ").toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

type Described = Pick<ModelSummary, "name" | "owner" | "cloud" | "region" | "life"> & {
  status: Pick<ModelSummary["status"], "status" | "message">;
};

/** The word that its card shows. */
export const stateOf = ({ life, status }: Pick<Described, "life" | "status">): string =>
  life === "alive" ? status.status : life;

/** What an address calls a grouping, and what a person does. */
export const MODEL_GROUPS = [
  ["", "No groups"],
  ["status", "Group by status"],
  ["cloud", "Group by cloud"],
  ["owner", "Group by owner"],
] as const;

export interface ModelGroup<M> {
  /** Empty for all of them where nothing is grouped. */
  title: string;
  models: M[];
}

const TROUBLE = "Needs attention";

/** Groups of models that are in order already: what needs a person first, then the worse state; others by name. */
export function groupedModels<M extends { model: Described; trouble: number }>(
  models: readonly M[],
  by: string,
): ModelGroup<M>[] {
  const titles: Record<string, (one: M) => string> = {
    status: ({ model, trouble }) => (trouble > 0 ? TROUBLE : stateOf(model)),
    cloud: ({ model }) => (model.region === "" || model.region === "default" ? model.cloud : `${model.cloud}/${model.region}`),
    owner: ({ model }) => model.owner,
  };
  const titleOf = titles[by];
  if (!titleOf) return models.length === 0 ? [] : [{ title: "", models: [...models] }];
  const groups = new Map<string, M[]>();
  for (const one of models) {
    const title = titleOf(one);
    const group = groups.get(title);
    if (group) group.push(one);
    else groups.set(title, [one]);
  }
  const rank = (title: string): number => (by !== "status" ? 0 : title === TROUBLE ? -1 : severity(title));
  return [...groups]
    .map(([title, models]) => ({ title, models }))
    .sort((a, b) => rank(a.title) - rank(b.title) || natural(a.title, b.title));
}
