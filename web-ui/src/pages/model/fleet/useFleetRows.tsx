import { type ReactNode, useMemo } from "react";
import type { ApplicationInfo, MachineInfo, UnitInfo } from "../../../api/types";
import type { Column, DataTableProperties } from "../../../components/table/DataTable";
import { unitColumns } from "../../../components/unitColumns";
import { machineStatus, unitStatus } from "../../../lib/attention";
import type { FleetTab, FleetView } from "../../../lib/fleet/address";
import { ordered, type Sort, sortOf } from "../../../lib/fleet/order";
import { orderedUnits } from "../../../lib/fleet/units";
import { applicationStatus, narrowedApplications, narrowedMachines, narrowedUnits } from "../../../lib/overview";
import type { ModelEntities } from "../../../live/context";
import { activeUnits, applicationColumns, machineColumns } from "./columns";

/** What of a table is told by its rows. */
type RowProperties<R> = Pick<DataTableProperties<R>, "columns" | "rows" | "idOf" | "marks">;

export interface FleetRows {
  /** Of the rows that are shown, in their order. */
  ids: string[];
  counts: Record<FleetTab, { shown: number; all: number }>;
  /** Of all rows that have the words. */
  statuses: string[];
  sort: Sort;
  sortable: { id: string; label: string }[];
  /** Draws the table; the rows of each tab are of another kind. */
  draw: (with_: <R>(properties: RowProperties<R>) => ReactNode) => ReactNode;
}

const BY_NAME: Sort = { column: "name", descending: false };
const NONE: readonly string[] = [];
const nameOf = ({ name }: { name: string }): string => name;
const idOf = ({ id }: MachineInfo): string => id;
const applicationMarks = ({ name }: ApplicationInfo): Record<string, string> => ({ "data-application": name });
const unitMarks = ({ name }: UnitInfo): Record<string, string> => ({ "data-unit": name });
const machineMarks = ({ id }: MachineInfo): Record<string, string> => ({ "data-machine": id });

function sortOfColumns<R>(text: string, columns: readonly Column<R>[]): Sort {
  return sortOf(text, columns.filter(({ keys }) => keys).map(({ id }) => id)) ?? BY_NAME;
}

const sortableOf = <R,>(columns: readonly Column<R>[]): { id: string; label: string }[] =>
  columns.filter(({ keys }) => keys).map(({ id, label }) => ({ id, label }));

/**
 * Rows are put in order when they or the order change, and narrowed for each key of the filter: the
 * order of thousands takes longer than a look at each.
 */
export function useFleetRows(model: string, entities: ModelEntities, view: FleetView, text: string): FleetRows {
  const { applications, units, machines } = entities;
  const { tab } = view;
  // Statuses are those of the table that is shown.
  const wanted = (of: FleetTab) => ({ text, statuses: of === tab ? view.statuses : NONE });

  const active = useMemo(() => activeUnits(units), [units]);
  const ofApplications = useMemo(() => applicationColumns(model, active), [model, active]);
  const ofMachines = useMemo(() => machineColumns(model), [model]);
  const plainUnits = useMemo(() => unitColumns(model, applications, new Set()), [model, applications]);

  const columns: readonly Column<never>[] = { applications: ofApplications, units: plainUnits, machines: ofMachines }[tab];
  const sort = sortOfColumns(view.sort, columns);
  const { column, descending } = sort;

  const sortedApplications = useMemo(() => {
    const keys = ofApplications.find(({ id }) => id === column)?.keys;
    return tab === "applications" && keys ? ordered(applications, keys, descending) : applications;
  }, [tab, applications, ofApplications, column, descending]);
  const sortedUnits = useMemo(() => {
    if (tab !== "units") return { units, nested: new Set<string>() };
    return orderedUnits(units, { column, descending }, plainUnits.find(({ id }) => id === column)?.keys);
  }, [tab, units, plainUnits, column, descending]);
  const sortedMachines = useMemo(() => {
    const keys = ofMachines.find(({ id }) => id === column)?.keys;
    return tab === "machines" && keys ? ordered(machines, keys, descending) : machines;
  }, [tab, machines, ofMachines, column, descending]);

  const found = useMemo(
    () => ({
      applications: narrowedApplications(sortedApplications, wanted("applications")),
      units: narrowedUnits(sortedUnits.units, wanted("units")),
      machines: narrowedMachines(sortedMachines, wanted("machines")),
    }),
    [sortedApplications, sortedUnits, sortedMachines, text, view.statuses, tab],
  );
  const ofUnits = useMemo(() => {
    if (sortedUnits.nested.size === 0) return plainUnits;
    // Below a principal that is not shown nobody stands.
    const shown = new Set(found.units.shown.map(({ name }) => name));
    const below = found.units.shown.filter(
      ({ name, principal }) => principal != null && sortedUnits.nested.has(name) && shown.has(principal),
    );
    return unitColumns(model, applications, new Set(below.map(({ name }) => name)));
  }, [plainUnits, sortedUnits, found, model, applications]);

  const shown = { applications: found.applications.shown, units: found.units.shown, machines: found.machines.shown };
  return {
    ids: tab === "machines" ? shown.machines.map(idOf) : shown[tab].map(nameOf),
    counts: {
      applications: { shown: shown.applications.length, all: applications.length },
      units: { shown: shown.units.length, all: units.length },
      machines: { shown: shown.machines.length, all: machines.length },
    },
    statuses: {
      applications: () => found.applications.found.map(applicationStatus),
      units: () => found.units.found.map(unitStatus),
      machines: () => found.machines.found.map(machineStatus),
    }[tab](),
    sort,
    sortable: sortableOf(columns),
    draw: (with_) =>
      ({
        applications: () =>
          with_({ columns: ofApplications, rows: shown.applications, idOf: nameOf, marks: applicationMarks }),
        units: () => with_({ columns: ofUnits, rows: shown.units, idOf: nameOf, marks: unitMarks }),
        machines: () => with_({ columns: ofMachines, rows: shown.machines, idOf, marks: machineMarks }),
      })[tab](),
  };
}
