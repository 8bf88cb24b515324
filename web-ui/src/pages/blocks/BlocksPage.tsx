/** What may not be done in a model, with why; an administrator disables it and allows it again. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useParams } from "react-router";
import { blocks } from "../../api";
import * as paths from "../../api/paths";
import type { BlockKind } from "../../api/types";
import { CommandHint, CopyTools } from "../../components/Commands";
import { Dialog } from "../../components/Dialog";
import { TextField } from "../../components/Fields";
import { Failure, Loading } from "../../components/States";
import { disabled, KINDS } from "../../lib/blocks";
import { command } from "../../lib/commands";
import { useAct } from "../../lib/useAct";
import { useAllowed } from "../../session";

export function BlocksPage() {
  const { model = "" } = useParams();
  return <Blocks model={model} mayAdmin={useAllowed(model, "admin")} />;
}

export function Blocks({ model, mayAdmin }: { model: string; mayAdmin: boolean }) {
  const queries = useQueryClient();
  const [chosen, setChosen] = useState<BlockKind | null>(null);
  const queryKey = ["blocks", model];
  const found = useQuery({ queryKey, queryFn: () => blocks.list(model) });
  const changed = (): void => void queries.invalidateQueries({ queryKey });
  const lift = useAct((kind: BlockKind) => blocks.lift(model, kind), changed);
  const cli = command("disabled-commands", "-m", model);
  if (found.isPending) return <Loading what="what is disabled" />;
  if (found.error) return <Failure error={found.error} cli={cli} onRetry={() => void found.refetch()} />;
  return (
    <section className="section" aria-label="Blocks">
      <CopyTools cli={cli} request={{ path: paths.blocks(model) }} />
      <table className="list" aria-label="Blocks">
        <thead>
          <tr>
            <th scope="col">Block</th>
            <th scope="col">Effect</th>
            <th scope="col">State</th>
            <th scope="col">Message</th>
            {mayAdmin && <th scope="col">Change</th>}
          </tr>
        </thead>
        <tbody>
          {KINDS.map((kind) => {
            const block = found.data.find((each) => each.kind === kind);
            return (
              <tr key={kind} data-block={kind}>
                <th scope="row">{kind}</th>
                <td data-label="Effect" className="message">
                  {disabled(kind)}
                </td>
                <td data-label="State">{block ? "disabled" : "not blocked"}</td>
                <td data-label="Message" className="message">
                  {block?.message || "—"}
                </td>
                {mayAdmin && (
                  <td data-label="Change">
                    <button type="button" className="p-button is-small" onClick={() => setChosen(kind)}>
                      {block ? "Change message" : "Disable"}
                      <span className="u-off-screen">{block ? ` of ${kind}` : ` ${kind}`}</span>
                    </button>
                    {block && (
                      <button
                        type="button"
                        className="p-button is-small"
                        disabled={lift.busy}
                        onClick={() => lift.run(kind)}
                      >
                        Enable<span className="u-off-screen"> {kind}</span>
                      </button>
                    )}
                  </td>
                )}
              </tr>
            );
          })}
        </tbody>
      </table>
      {lift.error != null && <Failure error={lift.error} />}
      {chosen && (
        <DisableDialog
          model={model}
          kind={chosen}
          before={found.data.find((each) => each.kind === chosen)?.message ?? ""}
          onDone={() => {
            setChosen(null);
            changed();
          }}
          onClose={() => setChosen(null)}
        />
      )}
    </section>
  );
}

interface DisableProperties {
  model: string;
  kind: BlockKind;
  before: string;
  onDone: () => void;
  onClose: () => void;
}

function DisableDialog({ model, kind, before, onDone, onClose }: DisableProperties) {
  const [message, setMessage] = useState(before);
  const set = useAct(() => blocks.set(model, kind, message.trim()), onDone);
  return (
    <Dialog
      title={`Disable ${kind}`}
      submit="Disable"
      busy={set.busy}
      error={set.error}
      onSubmit={() => set.run()}
      onClose={onClose}
    >
      <p>{disabled(kind)} until somebody enables it again.</p>
      <TextField label="Message" value={message} onChange={setMessage} help="Shown to anyone who is refused" />
      <CommandHint
        cli={command("disable-command", "-m", model, kind, message.trim())}
        request={{ method: "PUT", path: paths.block(model, kind), body: { message: message.trim() } }}
      />
    </Dialog>
  );
}
