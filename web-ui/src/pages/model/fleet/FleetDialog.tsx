/** The question that belongs to an action. */
import { useState } from "react";
import type { FleetTab } from "../../../lib/fleet/address";
import type { Model } from "../../../lib/fleet/going";
import type { ModelEntities } from "../../../live/context";
import type { Action } from "./BulkBar";
import { RefreshApplicationsDialog, RemoveApplicationsDialog, ScaleApplicationsDialog } from "./bulk/applicationDialogs";
import { AddMachinesDialog, RemoveMachinesDialog, RetryMachinesDialog } from "./bulk/machineDialogs";
import { RemoveUnitsDialog, RetryUnitsDialog } from "./bulk/unitDialogs";

export interface Asked {
  action: Action;
  tab: FleetTab;
  ids: readonly string[];
}

interface Properties {
  model: string;
  entities: ModelEntities & Model;
  asked: Asked;
  onClose: () => void;
}

export function FleetDialog({ model, entities, asked: { action, tab, ids }, onClose }: Properties) {
  // Those that go meanwhile stay what was asked about.
  const [chosen] = useState(() => {
    const wanted = new Set(ids);
    return entities.applications.filter(({ name }) => wanted.has(name));
  });
  if (tab === "machines") {
    if (action === "add") return <AddMachinesDialog model={model} onClose={onClose} />;
    const Dialog = action === "retry" ? RetryMachinesDialog : RemoveMachinesDialog;
    return <Dialog model={model} ids={ids} entities={entities} onClose={onClose} />;
  }
  if (tab === "units") {
    const Dialog = action === "retry" ? RetryUnitsDialog : RemoveUnitsDialog;
    return <Dialog model={model} names={ids} entities={entities} onClose={onClose} />;
  }
  const applications = { model, chosen, entities, charms: entities.charms, onClose };
  switch (action) {
    case "scale":
      return <ScaleApplicationsDialog {...applications} />;
    case "refresh":
      return <RefreshApplicationsDialog {...applications} />;
    case "remove":
      return <RemoveApplicationsDialog {...applications} />;
    default: {
      const names = entities.units.filter(({ application }) => ids.includes(application)).map(({ name }) => name);
      return <RetryUnitsDialog model={model} names={names} entities={entities} onClose={onClose} />;
    }
  }
}
