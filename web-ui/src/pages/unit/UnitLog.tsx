/** A unit's log as it is written: all of it, one service, or what is not of services. */
import { useQuery } from "@tanstack/react-query";
import { units } from "../../api";
import { CommandHint } from "../../components/Commands";
import { SelectField } from "../../components/Fields";
import { LiveLog } from "../../components/LiveLog";
import { command } from "../../lib/commands";
import { filterOf, logChoices, WITHOUT } from "../../lib/unitLog";
import { useFilters } from "../../lib/useFilters";

const NAMES = ["service"] as const;

export function UnitLog({ model, unit }: { model: string; unit: string }) {
  const [{ service }, set] = useFilters(NAMES);
  const found = useQuery({ queryKey: ["workloads", unit, model, "log"], queryFn: () => units.services(model, unit) });
  // One that the unit has no more can be in an address all the same, and its lines are there.
  const choices = logChoices(found.data ?? [], service);
  const ofService = service !== "" && service !== WITHOUT;
  return (
    <>
      {choices.length > 0 && (
        <div className="filters-row">
          <div className="filters" role="group" aria-label="Filters">
            <SelectField
              label="Lines of"
              value={service}
              options={choices}
              onChange={(value) => set("service", value)}
            />
          </div>
          {ofService && (
            <CommandHint cli={command("logs", "-m", model, unit, service.split("/").at(-1), "--follow")} />
          )}
        </div>
      )}
      <LiveLog model={model} filter={filterOf(unit, service)} showCommand={!ofService} />
    </>
  );
}
