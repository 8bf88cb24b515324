import { useMemo } from "react";
import { useSearchParams } from "react-router";
import type { EngineMap, EngineView } from "../../api/types";
import EngineGraph from "../../components/charts/EngineGraph";
import type { EngineNode } from "../../components/charts";
import { SelectField } from "../../components/Fields";
import { Empty } from "../../components/States";
import { engineNodes } from "../../lib/engine";

/** One engine of the controller at a time, its choice in the address. */
export function Engine({ map }: { map: EngineMap }) {
  const [parameters, setParameters] = useSearchParams();
  const wanted = parameters.get("engine");
  const chosen = map.engines.find(({ id }) => id === wanted) ?? map.engines[0];
  const nodes: EngineNode[] = useMemo(() => (chosen ? engineNodes(chosen) : []), [chosen]);
  if (!chosen) return <Empty title="No engine reports" cli="periapt workers" />;
  return (
    <>
      <SelectField
        label="Engine"
        value={chosen.id}
        options={map.engines.map((engine): [string, string] => [engine.id, title(engine)])}
        onChange={(engine) => setParameters({ engine }, { replace: true })}
      />
      <EngineGraph nodes={nodes} label={`Workers of ${title(chosen)}`} />
      {map["left-out"] > 0 && (
        <p className="muted">{map["left-out"]} engines of units are not shown.</p>
      )}
    </>
  );
}

function title({ kind, name }: EngineView): string {
  return name && name !== kind ? `${kind} ${name}` : kind;
}
