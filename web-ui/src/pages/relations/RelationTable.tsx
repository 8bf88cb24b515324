import { useState } from "react";
import { Link } from "react-router";
import { relations as relationApi } from "../../api";
import type { RelationEndpoint, RelationInfo } from "../../api/types";
import { Name, StatusMark } from "../../components/charts";
import { Clamped } from "../../components/Clamped";
import { Failure } from "../../components/States";
import { isPeer, seenFrom } from "../../lib/relations";
import { toApplication, toRelation } from "../../lib/to";
import { useAct } from "../../lib/useAct";
import { useNow } from "../../lib/useNow";
import { waitingText } from "../../lib/waiting";
import { useAllowed } from "../../session";
import { RemoveRelationDialog } from "./RemoveRelationDialog";
import { SuspendDialog } from "./SuspendDialog";

interface Properties {
  model: string;
  relations: readonly RelationInfo[];
  /** The application that looks: its own end comes first. Without it the provider does. */
  from?: string;
  caption: string;
}

type Asked = { what: "suspend" | "remove"; relation: RelationInfo } | null;

/** Relations with what can be done about them. */
export function RelationTable({ model, relations, from, caption }: Properties) {
  const mayWrite = useAllowed(model, "write");
  const [asked, setAsked] = useState<Asked>(null);
  const resume = useAct((id: number) => relationApi.change(model, id, { suspended: false }));
  const close = (): void => setAsked(null);
  const now = useNow();
  return (
    <>
      {resume.error != null && <Failure error={resume.error} />}
      <table className="list relations" aria-label={caption}>
        <thead>
          <tr>
            <th scope="col">{from ? "Endpoint" : "Provider"}</th>
            <th scope="col">{from ? "Related to" : "Requirer"}</th>
            <th scope="col">Interface</th>
            <th scope="col">Scope</th>
            <th scope="col">Status</th>
            <th scope="col">Message</th>
            {mayWrite && <th scope="col">Actions</th>}
          </tr>
        </thead>
        <tbody>
          {relations.map((relation) => {
            const [first, second] = endsOf(relation, from);
            const peer = isPeer(relation);
            const message = [relation.status.message, waitingText(relation["waiting-for"], now)].filter(Boolean).join("; ");
            return (
              <tr key={relation.id} data-relation={relation.id}>
                <th scope="row">
                  <Link to={toRelation(model, relation.id)}>
                    <Name text={from ? first.name : named(first)} before=":" />
                  </Link>
                </th>
                <td data-label={from ? "Related to" : "Requirer"}>
                  {peer ? (
                    "peers"
                  ) : (
                    <Link to={toApplication(model, second.application)}>
                      <Name text={named(second)} before=":" />
                    </Link>
                  )}
                </td>
                <td data-label="Interface">{relation.interface}</td>
                <td data-label="Scope" className="nowrap">
                  {peer ? "peers" : relation.scope}
                </td>
                <td data-label="Status" className="nowrap">
                  <StatusMark status={relation.status.status} />
                </td>
                <td data-label="Message" className="message">
                  <Clamped text={message} />
                </td>
                {mayWrite && (
                  <td data-label="Actions">
                    {peer ? (
                      "—"
                    ) : (
                      <div className="row-actions">
                        {relation.suspended ? (
                          <button
                            type="button"
                            className="p-button is-small"
                            aria-label={`Resume ${relation.key}`}
                            disabled={resume.busy || relation.life !== "alive"}
                            onClick={() => resume.run(relation.id)}
                          >
                            Resume
                          </button>
                        ) : (
                          <button
                            type="button"
                            className="p-button is-small"
                            aria-label={`Suspend ${relation.key}`}
                            disabled={relation.life !== "alive"}
                            onClick={() => setAsked({ what: "suspend", relation })}
                          >
                            Suspend
                          </button>
                        )}
                        <button
                          type="button"
                          className="p-button is-small"
                          aria-label={`Remove ${relation.key}`}
                          onClick={() => setAsked({ what: "remove", relation })}
                        >
                          Remove
                        </button>
                      </div>
                    )}
                  </td>
                )}
              </tr>
            );
          })}
        </tbody>
      </table>
      {asked?.what === "suspend" && <SuspendDialog model={model} relation={asked.relation} onClose={close} />}
      {asked?.what === "remove" && (
        <RemoveRelationDialog model={model} relation={asked.relation} onClose={close} />
      )}
    </>
  );
}

const named = ({ application, name }: RelationEndpoint): string => `${application}:${name}`;

function endsOf(relation: RelationInfo, from: string | undefined): [RelationEndpoint, RelationEndpoint] {
  const seen = from ? seenFrom(relation, from) : null;
  if (seen) return [seen.own, seen.other];
  const [one, other] = relation.endpoints;
  const nobody = { application: "", name: "", role: "" };
  if (!one) return [nobody, nobody];
  if (!other) return [one, one];
  return other.role === "provider" ? [other, one] : [one, other];
}
