/**
 * The tables of a model: applications, units and machines behind tabs.
 *
 * What is shown stands in the address; what is chosen does not, and is never more than what is shown, so
 * that nothing happens to a row that nobody sees. Attention, notes and the model's head are not here.
 */
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { Link } from "react-router";
import { DataTable } from "../../../components/table/DataTable";
import { rowElement } from "../../../components/table/useRowKeys";
import { Empty } from "../../../components/States";
import { command } from "../../../lib/commands";
import { CONTROLLER_MODEL } from "../../../lib/controllerModel";
import { sortedBy, sortText } from "../../../lib/fleet/order";
import { toDeploy } from "../../../lib/to";
import { useSlash } from "../../../lib/useSlash";
import { type ModelEntities, useStorages } from "../../../live/context";
import { useAllowed } from "../../../session";
import { BulkBar } from "./BulkBar";
import { FleetBar, TAB_NAMES } from "./FleetBar";
import { type Asked, FleetDialog } from "./FleetDialog";
import "./fleet.css";
import { RowPanel } from "./RowPanel";
import { useFleetRows } from "./useFleetRows";
import { useFleetView } from "./useFleetView";

export function Fleet({ model, entities }: { model: string; entities: ModelEntities }) {
  const mayChange = useAllowed(model, "write") && model !== CONTROLLER_MODEL;
  const address = useFleetView();
  const { view, text, change } = address;
  const table = useFleetRows(model, entities, view, text);
  const storages = useStorages(model);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [asked, setAsked] = useState<Asked | null>(null);
  const [focusing, setFocusing] = useState(0);
  const root = useRef<HTMLElement>(null);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => setChosen(new Set()), [view.tab]);
  useSlash(field);

  const { ids } = table;
  const shownChosen = chosen.size === 0 ? [] : ids.filter((id) => chosen.has(id));
  const focusRow = (id: string): void => {
    const row = rowElement(root.current?.querySelector("table") ?? null, id);
    (row ?? field.current)?.focus();
  };
  const open = (id: string): void => {
    // While details are shown they follow the rows, and the focus stays there.
    if (view.open === "" || view.open === id) setFocusing((times) => times + 1);
    change({ open: id });
  };
  const close = (): void => {
    focusRow(view.open);
    change({ open: "" });
  };
  const key = (event: KeyboardEvent): void => {
    if (event.key !== "Escape" || (event.target as Element).closest("dialog")) return;
    if (view.open !== "") close();
    else if (shownChosen.length > 0) setChosen(new Set());
  };
  const place = ids.indexOf(view.open);
  const step = (by: number): (() => void) | undefined => {
    const next = place < 0 ? undefined : ids[place + by];
    return next === undefined ? undefined : () => change({ open: next });
  };
  const held = { ...entities, storages };
  return (
    <section
      ref={root}
      className={`fleet ${view.open ? "has-panel" : ""}`}
      aria-label={TAB_NAMES[view.tab]}
      onKeyDown={key}
    >
      <FleetBar
        address={address}
        counts={table.counts}
        statuses={table.statuses}
        sort={table.sort}
        sortable={table.sortable}
        field={field}
        onDown={() => root.current?.querySelector<HTMLElement>("tbody tr[data-row]")?.focus()}
      />
      {mayChange && view.tab === "machines" && (
        <div className="fleet__actions">
          <button type="button" className="p-button" onClick={() => setAsked({ action: "add", tab: "machines", ids: [] })}>
            Add machines
          </button>
        </div>
      )}
      <div id="fleet-table" role="tabpanel" aria-labelledby={`fleet-tab-${view.tab}`}>
        {ids.length > 0 ? (
          table.draw((properties) => (
            <DataTable
              {...properties}
              label={TAB_NAMES[view.tab]}
              sort={table.sort}
              onSort={(column) => change({ sort: sortText(sortedBy(table.sort, column)) })}
              selection={
                mayChange
                  ? { chosen: new Set(shownChosen), onChange: setChosen, what: view.tab.slice(0, -1) }
                  : undefined
              }
              open={view.open}
              onOpen={open}
            />
          ))
        ) : (
          <Nothing
            model={model}
            what={view.tab}
            filtered={table.counts[view.tab].all > 0}
            mayChange={mayChange}
            onClear={() => change({ text: "", statuses: [] })}
          />
        )}
      </div>
      {mayChange && shownChosen.length > 0 && (
        <BulkBar
          tab={view.tab}
          chosen={shownChosen}
          all={ids.length}
          onAll={() => setChosen(new Set(ids))}
          onClear={() => setChosen(new Set())}
          onAsk={(action) => setAsked({ action, tab: view.tab, ids: shownChosen })}
        />
      )}
      {view.open !== "" && (
        <RowPanel
          model={model}
          entities={entities}
          tab={view.tab}
          id={view.open}
          mayChange={mayChange}
          focusing={focusing}
          onStep={{ before: step(-1), after: step(1) }}
          onAsk={(action) => setAsked({ action, tab: view.tab, ids: [view.open] })}
          onClose={close}
        />
      )}
      {asked && <FleetDialog model={model} entities={held} asked={asked} onClose={() => setAsked(null)} />}
    </section>
  );
}

interface NothingProperties {
  model: string;
  what: "applications" | "units" | "machines";
  /** There are some, none of which fits. */
  filtered: boolean;
  mayChange: boolean;
  onClear: () => void;
}

const NEXT = {
  applications: "Deploy a charm to run its first application.",
  units: "Units come with applications: deploy one, or scale one up.",
  machines: "Machines come with units, or are added here.",
};

function Nothing({ model, what, filtered, mayChange, onClear }: NothingProperties) {
  if (filtered) {
    return (
      <Empty
        title="Nothing matches this filter"
        action={
          <button type="button" className="p-button" onClick={onClear}>
            Clear the filter
          </button>
        }
      >
        Change or clear the filter to see the {what}.
      </Empty>
    );
  }
  const words = { applications: ["deploy", "./FILE.charm"], units: ["add-unit", "APPLICATION"], machines: ["add-machine"] }[what];
  return (
    <Empty
      title={`No ${what} yet`}
      cli={command(words[0], "-m", model, words[1])}
      action={
        mayChange &&
        what === "applications" && (
          <Link className="p-button--positive" to={toDeploy(model)}>
            Deploy a charm
          </Link>
        )
      }
    >
      {NEXT[what]}
    </Empty>
  );
}
