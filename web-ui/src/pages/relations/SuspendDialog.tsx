import { useState } from "react";
import { relations } from "../../api";
import * as paths from "../../api/paths";
import type { RelationInfo } from "../../api/types";
import { CommandHint } from "../../components/Commands";
import { Dialog } from "../../components/Dialog";
import { TextField } from "../../components/Fields";
import { command } from "../../lib/commands";
import { titleOf } from "../../lib/relations";
import { useAct } from "../../lib/useAct";

interface Properties {
  model: string;
  relation: RelationInfo;
  onClose: () => void;
}

export function SuspendDialog({ model, relation, onClose }: Properties) {
  const [reason, setReason] = useState("");
  const body = { suspended: true, ...(reason && { reason }) };
  const suspend = useAct(() => relations.change(model, relation.id, body), onClose);
  return (
    <Dialog
      title={`Suspend ${titleOf(relation)}`}
      submit="Suspend"
      busy={suspend.busy}
      error={suspend.error}
      onSubmit={() => suspend.run()}
      onClose={onClose}
    >
      <p>
        The units of both sides run relation-departed and relation-broken and no longer see each other. Nothing is removed: they join again when the relation is resumed.
      </p>
      <TextField
        label="Reason"
        value={reason}
        onChange={setReason}
        help="Shown in status while it is suspended"
      />
      <CommandHint
        cli={command(
          "suspend-relation", "-m", model, String(relation.id), ...(reason ? ["--message", reason] : []),
        )}
        request={{ method: "PATCH", path: paths.relation(model, relation.id), body }}
      />
    </Dialog>
  );
}
