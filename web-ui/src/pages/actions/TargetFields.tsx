import { useId } from "react";
import type { UnitInfo } from "../../api/types";
import { natural } from "../../lib/attention";
import type { Target } from "../../lib/actions/request";

interface Properties {
  units: readonly UnitInfo[];
  target: Target;
  error: string | null;
  onChange: (target: Target) => void;
}

/** On which units of an application something is run. */
export function TargetFields({ units, target, error, onChange }: Properties) {
  const id = useId();
  const leader = units.find((unit) => unit.leader);
  const choices: [Target["who"], string, boolean][] = [
    ["all", units.length === 1 ? `Its only unit, ${units[0]?.name}` : `All ${units.length} units`, true],
    ["leader", leader ? `The leader, ${leader.name}` : "The leader: currently unknown", leader !== undefined],
    ["named", "Some units", true],
  ];
  const toggle = (name: string, on: boolean): void =>
    onChange({ ...target, units: on ? [...target.units, name] : target.units.filter((each) => each !== name) });
  return (
    <fieldset aria-describedby={error ? `${id}-error` : undefined}>
      <legend>Units</legend>
      {choices.map(([who, words, possible]) => (
        <label key={who} className="check">
          <input
            type="radio"
            name={id}
            checked={target.who === who}
            disabled={!possible}
            onChange={() => onChange({ ...target, who })}
          />
          <span>{words}</span>
        </label>
      ))}
      {target.who === "named" && (
        <div className="targets" role="group" aria-label="Units to choose">
          {units
            .map(({ name }) => name)
            .sort(natural)
            .map((name) => (
              <label key={name} className="check">
                <input
                  type="checkbox"
                  aria-invalid={error !== null}
                  checked={target.units.includes(name)}
                  onChange={(event) => toggle(name, event.target.checked)}
                />
                <span>{name}</span>
              </label>
            ))}
        </div>
      )}
      {error && (
        <p id={`${id}-error`} className="p-form-validation__message">
          {error}
        </p>
      )}
    </fieldset>
  );
}
