import { useState } from "react";
import { relations as relationApi } from "../../api";
import * as paths from "../../api/paths";
import type { RelationInfo } from "../../api/types";
import { CommandHint } from "../../components/Commands";
import { ConfirmByName } from "../../components/ConfirmByName";
import { TakesAlong } from "../../components/TakesAlong";
import { command } from "../../lib/commands";
import { titleOf, unitsGoingWith } from "../../lib/relations";
import { useAct } from "../../lib/useAct";
import { useModel } from "../../live/context";

interface Properties {
  model: string;
  relation: RelationInfo;
  onClose: () => void;
  onRemoved?: () => void;
}

export function RemoveRelationDialog({ model, relation, onClose, onRemoved }: Properties) {
  const { units, relations } = useModel(model);
  const [force, setForce] = useState(false);
  const remove = useAct(
    () => relationApi.remove(model, relation.id, force),
    () => {
      onClose();
      onRemoved?.();
    },
  );
  const gone = unitsGoingWith([relation], units, relations);
  return (
    <ConfirmByName
      title={`Remove relation ${titleOf(relation)}`}
      name={relation.key}
      submit="Remove relation"
      busy={remove.busy}
      error={remove.error}
      onConfirm={() => remove.run()}
      onClose={onClose}
    >
      <p>
        The units of both sides run relation-departed and relation-broken. This also removes:
      </p>
      <ul className="takes-along">
        <li>the settings of both sides</li>
        <TakesAlong names={gone} one="the subordinate unit" many="the subordinate units" more="with their state" />
      </ul>
      <label className="check">
        <input type="checkbox" checked={force} onChange={(event) => setForce(event.target.checked)} />
        <span>Force: do not wait for hooks that fail or agents that are gone</span>
      </label>
      <CommandHint
        cli={command("remove-relation", "-m", model, ...relation.key.split(" "), force && "--force")}
        request={{
          method: "DELETE",
          path: paths.relation(model, relation.id) + (force ? "?force=true" : ""),
        }}
      />
    </ConfirmByName>
  );
}
