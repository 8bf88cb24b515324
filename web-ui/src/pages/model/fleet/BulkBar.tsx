/** What can be done with the chosen rows. */
import type { FleetTab } from "../../../lib/fleet/address";
import { counted } from "../../../lib/fleet/bulk";

export type Action = "retry" | "scale" | "refresh" | "remove" | "add";

/** Actions of each table in their order, the one that takes something away last. */
export const ACTIONS: Record<FleetTab, [Action, string][]> = {
  applications: [
    ["retry", "Retry hooks"],
    ["scale", "Scale"],
    ["refresh", "Refresh"],
    ["remove", "Remove"],
  ],
  units: [
    ["retry", "Retry hooks"],
    ["remove", "Remove"],
  ],
  machines: [
    ["retry", "Retry provisioning"],
    ["remove", "Remove"],
  ],
};

interface Properties {
  tab: FleetTab;
  chosen: readonly string[];
  /** How many are shown. */
  all: number;
  onAll: () => void;
  onClear: () => void;
  onAsk: (action: Action) => void;
}

export function BulkBar({ tab, chosen, all, onAll, onClear, onAsk }: Properties) {
  return (
    <div className="bulk" role="toolbar" aria-label={`Selected ${tab}`}>
      <span role="status">{counted(chosen.length, tab.slice(0, -1))} selected</span>
      {ACTIONS[tab].map(([action, label]) => (
        <button key={action} type="button" className="p-button is-small" onClick={() => onAsk(action)}>
          {label}…
        </button>
      ))}
      {chosen.length < all && (
        <button type="button" className="p-button is-small" onClick={onAll}>
          Select all {all}
        </button>
      )}
      <button type="button" className="p-button is-small" onClick={onClear}>
        Clear selection
      </button>
    </div>
  );
}
