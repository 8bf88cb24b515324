import { useQueries, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { applications, models, users } from "../api";
import { useModel, useReady } from "../live/context";
import { useSuperuser } from "../session";
import { machineStatus, natural, unitStatus } from "./attention";
import type { Target } from "./search";
import { toApplication, toCharm, toDeploy, toIncidents, toMachine, toModel, toOperations, toRelation, toRelations, toSandbox, toTimeline, toUnit, toUser } from "./to";

const PAGES: Target[] = [
  { kind: "page", name: "Models", where: "", to: "/models" },
  { kind: "page", name: "Alerts", where: "", to: "/alerts" },
  { kind: "page", name: "Controller", where: "", to: "/controller" },
  { kind: "page", name: "Workers", where: "", to: "/workers" },
  { kind: "page", name: "Audit", where: "", to: "/audit" },
  { kind: "page", name: "Users", where: "", to: "/users" },
  { kind: "page", name: "Account and tokens", where: "", to: "/account" },
];

/** Lists that the stream has all of, for the model whose page is open. */
const STREAMED = ["applications", "units", "machines", "relations", "charms"];

export interface Targets {
  targets: Target[];
  /** Lists that are whole, as `withoutGone` names them. */
  known: ReadonlySet<string>;
}

/** Everything that can be gone to. Other models are asked for when the search is opened. */
export function useTargets(model: string | null, open: boolean): Targets {
  const ready = useReady();
  const superuser = useSuperuser();
  const here = useModel(model ?? "");
  const list = useQuery({ queryKey: ["models"], queryFn: models.list, enabled: open });
  const people = useQuery({ queryKey: ["users"], queryFn: users.list, enabled: open && superuser });
  const names = useMemo(() => (list.data ?? []).map(({ name }) => name), [list.data]);
  const others = useQueries({
    queries: names.map((name) => ({
      queryKey: ["applications", name],
      queryFn: () => applications.list(name),
      enabled: open && name !== model,
      staleTime: 30_000,
    })),
    combine: (results) => results.map(({ data }) => data),
  });
  return useMemo(() => {
    if (!open) return { targets: [], known: new Set() };
    const targets: Target[] = [];
    const known = new Set<string>();
    if (model !== null) {
      if (ready) for (const kind of STREAMED) known.add(`${toModel(model)}/${kind}`);
      for (const { name, status } of here.applications) {
        targets.push({ kind: "application", name, where: model, to: toApplication(model, name), status: status.status });
      }
      for (const unit of here.units) {
        const { name } = unit;
        targets.push({ kind: "unit", name, where: model, to: toUnit(model, name), status: unitStatus(unit) });
      }
      for (const machine of here.machines) {
        const { id } = machine;
        targets.push({ kind: "machine", name: id, where: model, to: toMachine(model, id), status: machineStatus(machine) });
      }
      for (const { id, key, interface: spoken, status } of here.relations) {
        const to = toRelation(model, id);
        targets.push({ kind: "relation", name: key, where: `${spoken} in ${model}`, to, status: status.status });
      }
      for (const { url } of here.charms) {
        targets.push({ kind: "charm", name: url, where: model, to: toCharm(model, url) });
      }
      for (const [name, path] of [["Deploy", toDeploy(model)], ["Incidents", toIncidents(model)], ["Timeline", toTimeline(model)], ["Relations", toRelations(model)], ["Topology", `${toModel(model)}/topology`], ["Logs", `${toModel(model)}/logs`], ["Operations", toOperations(model)], ["Hooks", `${toModel(model)}/hooks`], ["Sandbox", toSandbox(model)]] as const) {
        targets.push({ kind: "page", name, where: model, to: path });
      }
    }
    if (list.data) known.add("models");
    (list.data ?? []).forEach(({ name, status: { status } }, index) => {
      targets.push({ kind: "model", name, where: "", to: toModel(name), status });
      // Of the model whose page is open the stream knows more, and an answer from before may be old.
      const own = name === model ? undefined : others[index];
      if (own) for (const kind of ["applications", "units"]) known.add(`${toModel(name)}/${kind}`);
      for (const application of own ?? []) {
        const to = toApplication(name, application.name);
        const { status } = application.status;
        targets.push({ kind: "application", name: application.name, where: name, to, status });
        for (const unit of application.units) {
          targets.push({ kind: "unit", name: unit, where: name, to: toUnit(name, unit) });
        }
      }
    });
    if (people.data) known.add("users");
    for (const { name } of people.data ?? []) {
      targets.push({ kind: "user", name, where: "", to: toUser(name) });
    }
    targets.sort((a, b) => natural(a.name, b.name));
    const pages = PAGES.filter(({ name }) => superuser || !/Workers|Audit|Users/.test(name));
    return { targets: [...pages, ...targets], known };
  }, [open, model, ready, here, list.data, others, people.data, superuser]);
}
