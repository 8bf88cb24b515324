/** An application's capabilities, who granted or denied each, and the revision that waits for one. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { applications } from "../../api";
import * as paths from "../../api/paths";
import type { Grant, Grants } from "../../api/types";
import { CommandHint, CopyTools } from "../../components/Commands";
import { Dialog } from "../../components/Dialog";
import { Empty, Failure, Loading } from "../../components/States";
import { Time } from "../../components/Time";
import { command } from "../../lib/commands";
import { holds, standingWords } from "../../lib/grants";
import { useAct } from "../../lib/useAct";

interface Properties {
  model: string;
  application: string;
  mayAdmin: boolean;
}

interface Change {
  capabilities: string[];
  grants: boolean;
}

export function GrantsSection({ model, application, mayAdmin }: Properties) {
  const queries = useQueryClient();
  const [open, setOpen] = useState<Change | null>(null);
  const queryKey = ["application", application, "grants", model];
  const found = useQuery({ queryKey, queryFn: () => applications.grants(model, application) });
  const cli = command("grants", "-m", model, application);
  if (found.isPending) return <Loading what="the capabilities" />;
  if (found.error) return <Failure error={found.error} cli={cli} onRetry={() => void found.refetch()} />;
  const { capabilities, held, charm } = found.data;
  return (
    <>
      <div className="section__head">
        <CopyTools cli={cli} request={{ path: paths.grants(model, application) }} />
      </div>
      {held && <Held held={held} charm={charm} onChange={mayAdmin ? setOpen : null} />}
      {capabilities.length === 0 ? (
        <Empty title="This charm declares no capabilities" cli={cli}>
          It may do what every charm may, and nothing else.
        </Empty>
      ) : (
        <table className="list" aria-label="Capabilities">
          <thead>
            <tr>
              <th scope="col">Capability</th>
              <th scope="col">Allows</th>
              <th scope="col">Reason</th>
              <th scope="col">State</th>
              <th scope="col">Decided</th>
              {mayAdmin && <th scope="col">Change</th>}
            </tr>
          </thead>
          <tbody>
            {capabilities.map((grant) => (
              <Row key={grant.capability} grant={grant} onChange={mayAdmin ? setOpen : null} />
            ))}
          </tbody>
        </table>
      )}
      {open && (
        <ChangeDialog
          model={model}
          application={application}
          change={open}
          onDone={() => {
            setOpen(null);
            void queries.invalidateQueries({ queryKey });
          }}
          onClose={() => setOpen(null)}
        />
      )}
    </>
  );
}

function Row({ grant, onChange }: { grant: Grant; onChange: ((change: Change) => void) | null }) {
  const revokes = holds(grant) || grant.standing === "not-declared";
  const words = revokes ? "Revoke" : "Grant";
  return (
    <tr>
      <th scope="row" className="mono">{grant.capability}</th>
      <td data-label="Allows">{grant.allows}</td>
      <td data-label="Reason" className="message">{grant.why ?? "—"}</td>
      <td data-label="State">{standingWords(grant)}</td>
      <td data-label="Decided">{grant.at ? <Time at={grant.at} /> : "—"}</td>
      {onChange && (
        <td data-label="Change">
          <button
            type="button"
            className="p-button is-small"
            aria-label={`${words} ${grant.capability}`}
            disabled={grant.standing === "beyond-policy"}
            onClick={() => onChange({ capabilities: [grant.capability], grants: !revokes })}
          >
            {words}
          </button>
        </td>
      )}
    </tr>
  );
}

function Held({
  held,
  charm,
  onChange,
}: {
  held: NonNullable<Grants["held"]>;
  charm: string;
  onChange: ((change: Change) => void) | null;
}) {
  const capabilities = held.awaits.map(({ capability }) => capability);
  return (
    <section className="section" aria-label="A revision that waits">
      <h2 className="section__title">{held.charm} waits for approval</h2>
      <p>
        {held.by} asked for it <Time at={held.at} />. The units run {charm} until it is approved. It needs:
      </p>
      <ul>
        {held.awaits.map(({ capability, why }) => (
          <li key={capability}>
            <code>{capability}</code> {why && <span className="muted">Reason: {why}</span>}
          </li>
        ))}
      </ul>
      {onChange && (
        <>
          <button type="button" className="p-button--positive" onClick={() => onChange({ capabilities, grants: true })}>
            Approve
          </button>
          <button type="button" className="p-button" onClick={() => onChange({ capabilities, grants: false })}>
            Deny
          </button>
        </>
      )}
    </section>
  );
}

interface ChangeProperties {
  model: string;
  application: string;
  change: Change;
  onDone: () => void;
  onClose: () => void;
}

function ChangeDialog({ model, application, change, onDone, onClose }: ChangeProperties) {
  const { capabilities, grants } = change;
  const names = capabilities.join(", ");
  const act = useAct(
    () =>
      grants
        ? applications.grant(model, application, capabilities)
        : applications.revoke(model, application, capabilities),
    onDone,
  );
  const path = `${paths.grants(model, application)}${grants ? "" : "/revoke"}`;
  return (
    <Dialog
      title={grants ? `Grant ${names} to ${application}` : `Revoke ${names} from ${application}`}
      submit={grants ? "Grant" : "Revoke"}
      danger={!grants}
      busy={act.busy}
      error={act.error}
      onSubmit={() => act.run()}
      onClose={onClose}
    >
      <p>
        {grants
          ? "Its units have it from their next hook on. A revision of the charm that waits for it alone is taken."
          : "Its units lose it before their next hook. A revision of the charm that waits for it is dropped."}
      </p>
      <CommandHint
        cli={command(grants ? "grant-capability" : "revoke-capability", "-m", model, application, ...capabilities)}
        request={{ method: "POST", path, body: { capabilities } }}
      />
    </Dialog>
  );
}
