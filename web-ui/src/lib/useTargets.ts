import { useQueries, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { applications, models, users } from "../api";
import { useModel } from "../live/context";
import { useSuperuser } from "../session";
import { natural, unitStatus } from "./attention";
import type { Target } from "./search";
import { toApplication, toCharm, toDeploy, toIncidents, toMachine, toModel, toOperations, toRelation, toRelations, toTimeline, toUnit, toUser } from "./to";

const PAGES: Target[] = [
  { kind: "page", name: "Models", where: "", to: "/models" },
  { kind: "page", name: "Controller", where: "", to: "/controller" },
  { kind: "page", name: "Workers", where: "", to: "/workers" },
  { kind: "page", name: "Audit", where: "", to: "/audit" },
  { kind: "page", name: "Users", where: "", to: "/users" },
  { kind: "page", name: "Account and tokens", where: "", to: "/account" },
];

/** Everything that can be gone to. Other models are asked for when the search is opened. */
export function useTargets(model: string | null, open: boolean): Target[] {
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
    if (!open) return [];
    const targets: Target[] = [];
    if (model !== null) {
      for (const { name, status } of here.applications) {
        targets.push({ kind: "application", name, where: model, to: toApplication(model, name), status: status.status });
      }
      for (const unit of here.units) {
        const { name } = unit;
        targets.push({ kind: "unit", name, where: model, to: toUnit(model, name), status: unitStatus(unit) });
      }
      for (const { id } of here.machines) {
        targets.push({ kind: "machine", name: id, where: model, to: toMachine(model, id) });
      }
      for (const { id, key, interface: spoken } of here.relations) {
        targets.push({ kind: "relation", name: key, where: `${spoken} in ${model}`, to: toRelation(model, id) });
      }
      for (const { url } of here.charms) {
        targets.push({ kind: "charm", name: url, where: model, to: toCharm(model, url) });
      }
      for (const [name, path] of [["Deploy", toDeploy(model)], ["Incidents", toIncidents(model)], ["Timeline", toTimeline(model)], ["Relations", toRelations(model)], ["Topology", `${toModel(model)}/topology`], ["Logs", `${toModel(model)}/logs`], ["Operations", toOperations(model)], ["Hooks", `${toModel(model)}/hooks`]] as const) {
        targets.push({ kind: "page", name, where: model, to: path });
      }
    }
    names.forEach((name, index) => {
      targets.push({ kind: "model", name, where: "", to: toModel(name) });
      for (const application of others[index] ?? []) {
        const to = toApplication(name, application.name);
        const { status } = application.status;
        targets.push({ kind: "application", name: application.name, where: name, to, status });
        for (const unit of application.units) {
          targets.push({ kind: "unit", name: unit, where: name, to: toUnit(name, unit) });
        }
      }
    });
    for (const { name } of people.data ?? []) {
      targets.push({ kind: "user", name, where: "", to: toUser(name) });
    }
    targets.sort((a, b) => natural(a.name, b.name));
    return [...PAGES.filter(({ name }) => superuser || !/Workers|Audit|Users/.test(name)), ...targets];
  }, [open, model, here, names, others, people.data, superuser]);
}
