/** What holds of an application beside its charm's options: its minimum of units, trust, constraints. */
import { useState } from "react";
import { useParams } from "react-router";
import type { ApplicationInfo } from "../../api/types";
import * as paths from "../../api/paths";
import { CopyTools } from "../../components/Commands";
import { command } from "../../lib/commands";
import { useModel } from "../../live/context";
import { useAllowed } from "../../session";
import { ConstraintsDialog, MinimumDialog, TrustDialog } from "./dialogs";

type Open = "minimum" | "trust" | "constraints" | null;

export function ApplicationTerms() {
  const { model = "", application: name = "" } = useParams();
  const mayWrite = useAllowed(model, "write");
  const mayAdmin = useAllowed(model, "admin");
  const application = useModel(model).applications.find((each) => each.name === name);
  return application ? <TermsOf {...{ model, application, mayWrite, mayAdmin }} /> : null;
}

interface Properties {
  model: string;
  application: ApplicationInfo;
  mayWrite: boolean;
  /** Trust is the credential of the model's owner. */
  mayAdmin: boolean;
}

export function TermsOf({ model, application, mayWrite, mayAdmin }: Properties) {
  const [open, setOpen] = useState<Open>(null);
  const close = (): void => setOpen(null);
  const { name } = application;
  const least = application["min-units"] ?? 0;
  const placed = !application.subordinate;
  const rows: [what: string, value: string, edit: Exclude<Open, null>, may: boolean][] = [
    ["Minimum number of units", least > 0 ? String(least) : "none", "minimum", placed],
    ["Trusted with the cloud's credential", application.trust ? "yes" : "no", "trust", mayAdmin],
    ["Constraints of its machines", application.constraints || "none", "constraints", placed],
  ];
  return (
    <section className="section" aria-label="Other settings">
      <div className="section__head">
        <h2 className="section__title">Other settings</h2>
        <CopyTools
          cli={command("show-application", "-m", model, name)}
          request={{ path: paths.application(model, name) }}
        />
      </div>
      <table className="list" aria-label="Other settings">
        <thead>
          <tr>
            <th scope="col">What</th>
            <th scope="col">Value</th>
            {mayWrite && <th scope="col">Change</th>}
          </tr>
        </thead>
        <tbody>
          {rows.map(([what, value, edit, may]) => (
            <tr key={edit} data-term={edit}>
              <th scope="row">{what}</th>
              <td data-label="Value">{value}</td>
              {mayWrite && (
                <td data-label="Change">
                  <button
                    type="button"
                    className="p-button is-small"
                    disabled={!may || application.life !== "alive"}
                    onClick={() => setOpen(edit)}
                  >
                    Edit<span className="u-off-screen"> {what}</span>
                  </button>
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
      {!placed && (
        <p className="muted">Units of a subordinate are created by relations, on the machines of their principals.</p>
      )}
      {open === "minimum" && <MinimumDialog model={model} application={application} onClose={close} />}
      {open === "trust" && <TrustDialog model={model} application={application} onClose={close} />}
      {open === "constraints" && <ConstraintsDialog model={model} application={application} onClose={close} />}
    </section>
  );
}
