import { StatusMark } from "../../../components/charts";
import { machineStatus, unitStatus } from "../../../lib/attention";
import type { FleetTab } from "../../../lib/fleet/address";
import type { ModelEntities } from "../../../live/context";
import { type Action, ACTIONS } from "./BulkBar";
import { ApplicationDetails, MachineDetails, UnitDetails } from "./details";
import { SidePanel } from "./SidePanel";

interface Properties {
  model: string;
  entities: ModelEntities;
  tab: FleetTab;
  id: string;
  mayChange: boolean;
  /** Rises when the focus is to come here. */
  focusing: number;
  onStep: { before: (() => void) | undefined; after: (() => void) | undefined };
  onAsk: (action: Action) => void;
  onClose: () => void;
}

/** Details of the row that is open, and what can be done with it. */
export function RowPanel({ model, entities, tab, id, mayChange, focusing, onStep, onAsk, onClose }: Properties) {
  const application = entities.applications.find(({ name }) => tab === "applications" && name === id);
  const unit = entities.units.find(({ name }) => tab === "units" && name === id);
  const machine = entities.machines.find((each) => tab === "machines" && each.id === id);
  const status = application?.status.status ?? (unit && unitStatus(unit)) ?? (machine && machineStatus(machine));
  // Its banner retries a failed hook, and a machine is only tried again where its provider failed.
  const useful = ([action]: [Action, string]): boolean => {
    if (action === "retry") return machine?.instance.status === "provisioning error";
    return action !== "scale" || application?.subordinate !== true;
  };
  return (
    <SidePanel
      title={tab === "machines" ? `Machine ${id}` : id}
      aside={status !== undefined && <StatusMark status={status} />}
      focusing={focusing}
      onClose={onClose}
      onStep={onStep}
    >
      {application && <ApplicationDetails model={model} application={application} entities={entities} />}
      {unit && <UnitDetails model={model} unit={unit} mayWrite={mayChange} />}
      {machine && <MachineDetails model={model} machine={machine} />}
      {status === undefined && <p>It was removed, or never existed.</p>}
      {mayChange && status !== undefined && (
        <div className="actions">
          {ACTIONS[tab].filter(useful).map(([action, label]) => (
            <button key={action} type="button" className="p-button is-small" onClick={() => onAsk(action)}>
              {label}…
            </button>
          ))}
        </div>
      )}
    </SidePanel>
  );
}
