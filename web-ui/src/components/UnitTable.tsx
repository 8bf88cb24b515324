import { useMemo } from "react";
import { useSearchParams } from "react-router";
import type { UnitInfo } from "../api/types";
import { sortedBy, sortOf, sortText } from "../lib/fleet/order";
import { orderedUnits } from "../lib/fleet/units";
import { useModel } from "../live/context";
import { DataTable } from "./table/DataTable";
import { unitColumns } from "./unitColumns";

const NONE: ReadonlySet<string> = new Set();
const nameOf = ({ name }: UnitInfo): string => name;
const marks = ({ name }: UnitInfo): Record<string, string> => ({ "data-unit": name });

/** Units as `status` lists them, or by a column: the leader marked, subordinates under their principal. */
export function UnitTable({ model, units, caption }: { model: string; units: readonly UnitInfo[]; caption: string }) {
  const { applications } = useModel(model);
  const [parameters, setParameters] = useSearchParams();
  const plain = useMemo(() => unitColumns(model, applications, NONE), [model, applications]);
  const sortable = plain.filter(({ keys }) => keys).map(({ id }) => id);
  const text = parameters.get("sort") ?? "name";
  const sort = sortOf(text, sortable) ?? { column: "name", descending: false };
  const shown = useMemo(
    () => orderedUnits(units, sort, plain.find(({ id }) => id === sort.column)?.keys),
    [units, plain, sort.column, sort.descending],
  );
  const columns = useMemo(
    () => unitColumns(model, applications, shown.nested),
    [model, applications, shown],
  );
  return (
    <DataTable
      label={caption}
      columns={columns}
      rows={shown.units}
      idOf={nameOf}
      marks={marks}
      sort={sort}
      onSort={(column) =>
        setParameters(
          (known) => {
            known.set("sort", sortText(sortedBy(sort, column)));
            return known;
          },
          { replace: true },
        )
      }
    />
  );
}
