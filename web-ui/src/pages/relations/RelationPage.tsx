import { useQueries } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useNavigate, useParams } from "react-router";
import { relations as relationApi, units as unitApi } from "../../api";
import * as paths from "../../api/paths";
import type { RelationInfo, UnitInfo } from "../../api/types";
import { Bags } from "../../components/Bags";
import { StatusMark } from "../../components/charts";
import { CommandHint, CopyTools } from "../../components/Commands";
import { Facts, SelectField } from "../../components/Fields";
import { PageHead } from "../../components/PageHead";
import { Pending } from "../../components/Pending";
import { Empty, Failure, Loading } from "../../components/States";
import { Time } from "../../components/Time";
import { Waiting } from "../../components/Waiting";
import { containersOf, sidesOfRelation, unitsToAsk } from "../../lib/bags";
import { command } from "../../lib/commands";
import { isPeer, titleOf } from "../../lib/relations";
import { toApplication, toModel, toRelations } from "../../lib/to";
import { useAct } from "../../lib/useAct";
import { useModel, useReady } from "../../live/context";
import { useAllowed } from "../../session";
import { RemoveRelationDialog } from "./RemoveRelationDialog";
import { SuspendDialog } from "./SuspendDialog";

/** One relation: its state, and what both sides have told each other. */
export function RelationPage() {
  const { model = "", relation: written = "" } = useParams();
  const ready = useReady();
  const navigate = useNavigate();
  const { relations, units } = useModel(model);
  const relation = relations.find(({ id }) => String(id) === written);
  const mayWrite = useAllowed(model, "write");
  const [asked, setAsked] = useState<"suspend" | "remove" | null>(null);
  const close = (): void => setAsked(null);
  const resume = useAct((id: number) => relationApi.change(model, id, { suspended: false }));
  const crumbs = [
    { to: "/models", label: "Models" },
    { to: toModel(model), label: model },
    { to: toRelations(model), label: "Relations" },
  ];
  const cli = command("status", "-m", model, "--relations");
  if (!relation) {
    return (
      <>
        <PageHead title={`Relation ${written}`} crumbs={crumbs} />
        {ready ? (
          <Empty title={`There is no relation ${written} in ${model}`} cli={cli}>
            It was removed. Go back to the <Link to={toRelations(model)}>relations</Link>.
          </Empty>
        ) : (
          <Pending what={`relation ${written}`} />
        )}
      </>
    );
  }
  const peer = isPeer(relation);
  const alive = relation.life === "alive";
  return (
    <>
      <PageHead
        title={titleOf(relation)}
        crumbs={crumbs}
        aside={
          <>
            <StatusMark status={relation.status.status} />
            {!alive && <span className="tag">{relation.life}</span>}
          </>
        }
        summary={relation.status.message}
        tools={<CopyTools cli={cli} request={{ path: paths.relation(model, relation.id) }} />}
        actions={
          mayWrite &&
          !peer && (
            <>
              {relation.suspended ? (
                <button
                  type="button"
                  className="p-button"
                  disabled={!alive || resume.busy}
                  onClick={() => resume.run(relation.id)}
                >
                  Resume
                </button>
              ) : (
                <button type="button" className="p-button" disabled={!alive} onClick={() => setAsked("suspend")}>
                  Suspend
                </button>
              )}
              <button type="button" className="p-button is-danger" onClick={() => setAsked("remove")}>
                Remove
              </button>
            </>
          )
        }
      />
      {resume.error != null && <Failure error={resume.error} />}
      <Facts
        rows={[
          ["ID", String(relation.id)],
          ["Interface", relation.interface],
          ["Scope", peer ? "peers" : relation.scope === "container" ? "container: within one principal's" : "global"],
          ...relation.endpoints.map(({ application, name, role }): [string, React.ReactNode] => [
            `${role.charAt(0).toUpperCase()}${role.slice(1)}`,
            <span key={name}>
              <Link to={toApplication(model, application)}>{application}</Link>:{name}
            </span>,
          ]),
          ["Created", <Time key="created" at={relation["created-at"]} />],
        ]}
      />
      {relation.suspended && (
        <CommandHint
          cli={command("resume-relation", "-m", model, String(relation.id))}
          request={{ method: "PATCH", path: paths.relation(model, relation.id), body: { suspended: false } }}
        />
      )}
      <Waiting words={relation["waiting-for"]} />
      <section className="section" aria-label="Settings">
        <h2 className="section__title">Settings</h2>
        <Settings model={model} relation={relation} units={units} />
      </section>
      {asked === "suspend" && <SuspendDialog model={model} relation={relation} onClose={close} />}
      {asked === "remove" && (
        <RemoveRelationDialog
          model={model}
          relation={relation}
          onClose={close}
          onRemoved={() => void navigate(toRelations(model))}
        />
      )}
    </>
  );
}

interface SettingsProperties {
  model: string;
  relation: RelationInfo;
  units: readonly UnitInfo[];
}

function Settings({ model, relation, units }: SettingsProperties) {
  const containers = relation.scope === "container" ? containersOf(relation, units) : [];
  const [chosen, setChosen] = useState("");
  const container = relation.scope === "container" ? (containers.includes(chosen) ? chosen : (containers[0] ?? "")) : null;
  const { found, pending, error } = useQueries({
    queries: unitsToAsk(relation, units, container).map((unit) => ({
      queryKey: ["bags", model, unit],
      queryFn: () => unitApi.show(model, unit),
    })),
    combine: (results) => ({
      found: results.flatMap(({ data }) => (data ? [data] : [])),
      pending: results.some(({ isPending }) => isPending),
      error: results.find(({ error }) => error)?.error ?? null,
    }),
  });
  const cli = command("show-unit", "-m", model, found[0]?.name ?? "UNIT");
  if (error) return <Failure error={error} cli={cli} />;
  if (pending) return <Loading what="the settings" />;
  if (found.length === 0) {
    return (
      <Empty title="No settings yet" cli={command("status", "-m", model, "--relations")}>
        Settings appear once units of both sides have joined.
      </Empty>
    );
  }
  return (
    <>
      {containers.length > 1 && (
        <SelectField
          label="In the container of"
          value={container ?? ""}
          onChange={setChosen}
          options={containers}
          help="Units see only those in the same container"
        />
      )}
      <Bags model={model} sides={sidesOfRelation(relation, found)} />
    </>
  );
}
