import { units } from "../../api";
import type { UnitInfo } from "../../api/types";
import { CopyButton } from "../../components/CopyButton";
import { Failure } from "../../components/States";
import { command } from "../../lib/commands";
import { useAct } from "../../lib/useAct";

interface Properties {
  model: string;
  unit: UnitInfo;
  mayWrite: boolean;
}

/** A failed hook: what failed, and the two ways on. */
export function ResolveBanner({ model, unit, mayWrite }: Properties) {
  const resolve = useAct((retry: boolean) => units.resolve(model, unit.name, retry));
  return (
    <section className="p-notification--negative" aria-label="Failed hook">
      <div className="p-notification__content">
        <h5 className="p-notification__title">A hook failed</h5>
        <p className="p-notification__message">
          {unit.workload.message}. Look at the hook and the log below, mend the cause, then go on.
        </p>
        {mayWrite && (
          <div className="actions">
            <button type="button" className="p-button" disabled={resolve.busy} onClick={() => resolve.run(true)}>
              Retry hook
            </button>
            <button type="button" className="p-button" disabled={resolve.busy} onClick={() => resolve.run(false)}>
              Skip hook
            </button>
            <CopyButton text={command("resolved", "-m", model, unit.name)} label="Copy as CLI" />
          </div>
        )}
        {resolve.error != null && <Failure error={resolve.error} />}
      </div>
    </section>
  );
}
