import { hasRoom, type Possible } from "../../lib/deployRelations";
import { sideName } from "../../lib/relations";
import { useModel } from "../../live/context";

interface Properties {
  model: string;
  possible: readonly Possible[];
  chosen: readonly Possible[];
  /** Keys of those that are chosen. */
  onChange: (keys: string[]) => void;
}

/** Relations that are made once the application is there; nothing where no application of the model fits. */
export function RelationFields({ model, possible, chosen, onChange }: Properties) {
  const { relations } = useModel(model);
  if (possible.length === 0) return null;
  const keys = chosen.map(({ key }) => key);
  return (
    <fieldset>
      <legend>Relations</legend>
      <p className="p-form-help-text">
        Made once the application is deployed. Only endpoints with the same interface are listed.
      </p>
      <div className="deploy__relations">
        {possible.map((one) => {
          const { key, mine, other } = one;
          const checked = keys.includes(key);
          return (
            <label key={key} className="check">
              <input
                type="checkbox"
                checked={checked}
                disabled={!checked && !hasRoom(one, chosen, relations)}
                onChange={(event) => onChange(event.target.checked ? [...keys, key] : keys.filter((each) => each !== key))}
              />
              <span>
                {mine.name} with {sideName(other)}{" "}
                <span className="muted">
                  ({mine.role === "provider" ? "provides" : "requires"} {mine.interface})
                </span>
              </span>
            </label>
          );
        })}
      </div>
    </fieldset>
  );
}
