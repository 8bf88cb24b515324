/** One storage: what is known of it, who has it and where, and what can be done about it. */
import { useState } from "react";
import { Link, useNavigate, useParams } from "react-router";
import * as paths from "../../api/paths";
import type { StorageInfo } from "../../api/types";
import { StatusMark } from "../../components/charts";
import { CopyTools } from "../../components/Commands";
import { Facts } from "../../components/Fields";
import { PageHead } from "../../components/PageHead";
import { Pending } from "../../components/Pending";
import { Empty } from "../../components/States";
import { Time } from "../../components/Time";
import { command } from "../../lib/commands";
import { isShared, sizeOf } from "../../lib/storage";
import { toMachine, toModel, toStorages } from "../../lib/to";
import { useReady, useStorages } from "../../live/context";
import { useAllowed } from "../../session";
import { Who } from "../secrets/SecretTable";
import { AttachDialog, DetachDialog, RemoveStorageDialog } from "./StorageDialogs";

type Asked = "attach" | "detach" | "remove" | null;

export function StoragePage() {
  const { model = "", name = "", number = "" } = useParams();
  const id = `${name}/${number}`;
  const ready = useReady();
  const storage = useStorages(model).find((each) => each.id === id);
  const mayWrite = useAllowed(model, "write");
  const navigate = useNavigate();
  const [asked, setAsked] = useState<Asked>(null);
  const crumbs = [
    { to: "/models", label: "Models" },
    { to: toModel(model), label: model },
    { to: toStorages(model), label: "Storage" },
  ];
  if (!storage) {
    return (
      <>
        <PageHead title={id} crumbs={crumbs} />
        {ready ? (
          <Empty title={`There is no storage ${id} in ${model}`} cli={command("storage", "-m", model)}>
            It was removed, or never existed. Go back to the <Link to={toStorages(model)}>storage</Link>.
          </Empty>
        ) : (
          <Pending what={`storage ${id}`} />
        )}
      </>
    );
  }
  const changeable = mayWrite && storage.life === "alive";
  const isAttached = storage.attachments.length > 0;
  const isDetachable = isAttached && !isShared(storage) && storage.persistent;
  const of = { model, storage, onClose: () => setAsked(null) };
  return (
    <>
      <PageHead
        title={id}
        crumbs={crumbs}
        aside={<StatusMark status={storage.status.status} />}
        summary={storage.status.message}
        tools={<CopyTools cli={command("show-storage", "-m", model, id)} request={{ path: paths.storage(model, id) }} />}
        actions={
          changeable && (
            <>
              {!isAttached && (
                <button type="button" className="p-button--positive" onClick={() => setAsked("attach")}>
                  Attach
                </button>
              )}
              {isDetachable && (
                <button type="button" className="p-button" onClick={() => setAsked("detach")}>
                  Detach
                </button>
              )}
              <button type="button" className="p-button is-danger" onClick={() => setAsked("remove")}>
                Remove
              </button>
            </>
          )
        }
      />
      <StorageFacts model={model} storage={storage} />
      <section className="section" aria-label="Attached to">
        <h2 className="section__title">Attached to</h2>
        <Attachments model={model} storage={storage} />
      </section>
      {asked === "attach" && <AttachDialog {...of} />}
      {asked === "detach" && <DetachDialog {...of} />}
      {asked === "remove" && <RemoveStorageDialog {...of} onDone={() => void navigate(toStorages(model))} />}
    </>
  );
}

function StorageFacts({ model, storage }: { model: string; storage: StorageInfo }) {
  const { pool, provider } = storage;
  return (
    <Facts
      rows={[
        ["Owner", storage.owner ? <Who key="owner" model={model} name={storage.owner} /> : "nobody"],
        ["Kind", storage.kind],
        ["Pool", pool === provider ? pool : `${pool} (${provider})`],
        ["Size", sizeOf(storage)],
        ["Outlives its unit", storage.persistent ? "yes" : "no"],
        ["Directory", <code key="directory">{storage["provider-id"]}</code>],
        ["Added", <Time key="added" at={storage["created-at"]} />],
        ["Status since", <Time key="since" at={storage.status.since} />],
      ]}
    />
  );
}

function Attachments({ model, storage }: { model: string; storage: StorageInfo }) {
  if (storage.attachments.length === 0) {
    return (
      <Empty title="No unit has it" cli={command("attach-storage", "-m", model, "UNIT", storage.id)}>
        Its contents are kept until it is attached again or removed.
      </Empty>
    );
  }
  return (
    <table className="list" aria-label="Attachments">
      <thead>
        <tr>
          <th scope="col">Unit</th>
          <th scope="col">Machine</th>
          <th scope="col">Location</th>
          <th scope="col">Access</th>
          <th scope="col">Life</th>
        </tr>
      </thead>
      <tbody>
        {storage.attachments.map((attachment) => (
          <tr key={attachment.unit} data-unit={attachment.unit}>
            <th scope="row">
              <Who model={model} name={attachment.unit} />
            </th>
            <td data-label="Machine">
              {attachment.machine ? (
                <Link to={toMachine(model, attachment.machine)}>{attachment.machine}</Link>
              ) : (
                "not assigned yet"
              )}
            </td>
            <td data-label="Location" className="mono">{attachment.location}</td>
            <td data-label="Access">{attachment["read-only"] ? "reads" : "reads and writes"}</td>
            <td data-label="Life">{attachment.life}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
