/** Alerts: what fires, what has resolved, what is watched for, and who is told. */
import { useState } from "react";
import { CopyTools } from "../../components/Commands";
import { PageHead } from "../../components/PageHead";
import * as paths from "../../api/paths";
import { useSuperuser } from "../../session";
import { AlertTable } from "./AlertTable";
import { Deliveries } from "./Deliveries";
import { NotificationSwitch } from "./NotificationSwitch";
import { Receivers } from "./Receivers";
import { Rules } from "./Rules";

export function AlertsPage() {
  const superuser = useSuperuser();
  const [past, setPast] = useState(false);
  return (
    <>
      <PageHead
        title="Alerts"
        summary="Firing alerts, rules and receivers"
        tools={<CopyTools cli="periapt alerts" request={{ path: `${paths.ALERTS}?state=firing` }} />}
        actions={<NotificationSwitch />}
      />
      <section className="section" aria-label="Firing alerts">
        <h2 className="section__title">Firing</h2>
        <AlertTable state="firing" mayAcknowledge={superuser} />
      </section>
      <section className="section" aria-label="Resolved alerts">
        <h2 className="section__title">Resolved</h2>
        {past ? (
          <AlertTable state="resolved" mayAcknowledge={false} />
        ) : (
          <button type="button" className="p-button" onClick={() => setPast(true)}>
            Show resolved alerts
          </button>
        )}
      </section>
      {superuser && (
        <>
          <Rules />
          <Receivers />
          <Deliveries />
        </>
      )}
    </>
  );
}
