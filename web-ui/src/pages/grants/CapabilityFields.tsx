/** What a charm may do beyond what every charm may, and what is decided about it before the charm runs. */
import { useQuery } from "@tanstack/react-query";
import { useId } from "react";
import { charms } from "../../api";
import type { CharmInfo, Grant } from "../../api/types";
import { Failure } from "../../components/States";
import { asked, type Chosen, forbidden, holds } from "../../lib/grants";

/** What would hold of each capability of a charm; nothing of a charm that declares none. */
export function useCapabilities(model: string, charm: CharmInfo | null, application?: string) {
  const declares = (charm?.declared ?? []).length > 0;
  const found = useQuery({
    queryKey: ["capabilities", model, charm?.url, application],
    queryFn: () => charms.capabilities(model, charm?.url ?? "", application),
    enabled: declares,
  });
  return {
    grants: declares ? (found.data?.capabilities ?? []) : [],
    pending: declares && found.isPending,
    error: found.error,
  };
}

interface Properties {
  grants: readonly Grant[];
  error?: unknown;
  /** The charm in place, whose capabilities are not asked about again. */
  before?: CharmInfo | undefined;
  chosen: Chosen;
  onChange: (chosen: Chosen) => void;
}

export function CapabilityFields({ grants, error, before, chosen, onChange }: Properties) {
  if (error != null) return <Failure error={error} />;
  if (grants.length === 0) return null;
  const open = asked(grants, before);
  const beyond = forbidden(grants, before);
  const granted = grants.filter(holds);
  return (
    <fieldset>
      <legend>Capabilities</legend>
      {granted.length > 0 && (
        <ul aria-label="Granted">
          {granted.map((grant) => (
            <li key={grant.capability}>
              It {grant.allows} <Reason grant={grant} />
            </li>
          ))}
        </ul>
      )}
      {open.map((grant) => (
        <Choice
          key={grant.capability}
          grant={grant}
          value={chosen[grant.capability]}
          onChange={(value) => onChange({ ...chosen, [grant.capability]: value })}
        />
      ))}
      {beyond.map((grant) => (
        <p key={grant.capability} className="p-form-help-text">
          It asks that it {grant.allows}. The model&apos;s policy does not allow <code>{grant.capability}</code>, so it
          runs without.
        </p>
      ))}
    </fieldset>
  );
}

interface ChoiceProperties {
  grant: Grant;
  value: "grant" | "deny" | undefined;
  onChange: (value: "grant" | "deny") => void;
}

function Choice({ grant, value, onChange }: ChoiceProperties) {
  const name = useId();
  return (
    <fieldset>
      <legend>
        It {grant.allows} <code>{grant.capability}</code>
      </legend>
      <p className="p-form-help-text">
        <Reason grant={grant} />
      </p>
      {(["grant", "deny"] as const).map((answer) => (
        <label key={answer} className="check">
          <input type="radio" name={name} checked={value === answer} onChange={() => onChange(answer)} />
          <span>{answer === "grant" ? "Grant" : "Deny"}</span>
        </label>
      ))}
    </fieldset>
  );
}

function Reason({ grant }: { grant: Grant }) {
  return <span className="muted">{grant.why ? `Reason: ${grant.why}` : "No reason given"}</span>;
}
