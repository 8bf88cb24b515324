/** What people note of a model, an application, a unit or a machine. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useParams } from "react-router";
import { annotations } from "../../api";
import * as paths from "../../api/paths";
import { withQuery } from "../../api/client";
import { Clamped } from "../../components/Clamped";
import { CommandHint, CopyTools } from "../../components/Commands";
import { Dialog } from "../../components/Dialog";
import { TextField } from "../../components/Fields";
import { Failure, Loading } from "../../components/States";
import { wrongKey } from "../../lib/annotations";
import { command } from "../../lib/commands";
import { useAct } from "../../lib/useAct";
import { useModel } from "../../live/context";
import { useAllowed } from "../../session";

export function ModelNotes() {
  const { model = "" } = useParams();
  const uuid = useModel(model).model?.uuid;
  return uuid ? <Notes model={model} entity={`model-${uuid}`} ofModel what={`model ${model}`} /> : null;
}

export function ApplicationNotes() {
  const { model = "", application = "" } = useParams();
  return <Notes model={model} entity={`application-${application}`} what={`application ${application}`} />;
}

interface Properties {
  model: string;
  /** Its tag or its name. */
  entity: string;
  /** It is the model itself, which the command line needs no name for. */
  ofModel?: boolean;
  what: string;
}

export function Notes(properties: Properties) {
  return <NotesOf {...properties} mayWrite={useAllowed(properties.model, "write")} />;
}

export function NotesOf({ model, entity, ofModel = false, what, mayWrite }: Properties & { mayWrite: boolean }) {
  const queries = useQueryClient();
  const [editing, setEditing] = useState<[key: string, text: string] | null>(null);
  const queryKey = ["annotations", entity, model];
  const found = useQuery({ queryKey, queryFn: () => annotations.show(model, entity) });
  const changed = (): void => void queries.invalidateQueries({ queryKey });
  const remove = useAct((key: string) => annotations.set(model, entity, { [key]: "" }), changed);
  const cli = command("annotations", "-m", model, entity);
  const notes = Object.entries(found.data ?? {}).toSorted(([a], [b]) => a.localeCompare(b));
  return (
    <section className="section" aria-label="Annotations">
      <div className="section__head">
        <h2 className="section__title">
          Annotations <span className="section__count">{notes.length}</span>
        </h2>
        <CopyTools cli={cli} request={{ path: withQuery(paths.annotations(model), { entity }) }} />
      </div>
      {found.isPending && <Loading what="the annotations" rows={1} />}
      {found.error && <Failure error={found.error} cli={cli} onRetry={() => void found.refetch()} />}
      {found.data && notes.length === 0 && <p className="muted">No annotations on {what}.</p>}
      {notes.length > 0 && (
        <table className="list" aria-label="Annotations">
          <thead>
            <tr>
              <th scope="col">Key</th>
              <th scope="col">Text</th>
              {mayWrite && <th scope="col">Change</th>}
            </tr>
          </thead>
          <tbody>
            {notes.map(([key, text]) => (
              <tr key={key} data-annotation={key}>
                <th scope="row">{key}</th>
                <td data-label="Text" className="message">
                  <Clamped text={text} />
                </td>
                {mayWrite && (
                  <td data-label="Change">
                    <div className="row-actions">
                      <button type="button" className="p-button is-small" onClick={() => setEditing([key, text])}>
                        Edit<span className="u-off-screen"> {key}</span>
                      </button>
                      <button
                        type="button"
                        className="p-button is-small"
                        disabled={remove.busy}
                        onClick={() => remove.run(key)}
                      >
                        Remove<span className="u-off-screen"> {key}</span>
                      </button>
                    </div>
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {remove.error != null && <Failure error={remove.error} />}
      {mayWrite && (
        <button type="button" className="p-button is-small" onClick={() => setEditing(["", ""])}>
          Annotate
        </button>
      )}
      {editing && (
        <EditDialog
          model={model}
          entity={entity}
          ofModel={ofModel}
          what={what}
          before={editing}
          onDone={() => {
            setEditing(null);
            changed();
          }}
          onClose={() => setEditing(null)}
        />
      )}
    </section>
  );
}

interface EditProperties extends Properties {
  before: [key: string, text: string];
  onDone: () => void;
  onClose: () => void;
}

function EditDialog({ model, entity, ofModel, what, before, onDone, onClose }: EditProperties) {
  const [key, setKey] = useState(before[0]);
  const [text, setText] = useState(before[1]);
  const set = useAct(() => annotations.set(model, entity, { [key]: text }), onDone);
  const wrong = wrongKey(key);
  const missing = before[1] !== "" && text === "" ? "Enter a text, or use Remove to delete the annotation" : null;
  return (
    <Dialog
      title={`Annotate ${what}`}
      submit="Annotate"
      disabled={wrong !== null || text === ""}
      busy={set.busy}
      error={set.error}
      onSubmit={() => set.run()}
      onClose={onClose}
    >
      {before[0] === "" ? (
        <TextField label="Key" value={key} onChange={setKey} error={key === "" ? null : wrong} required />
      ) : (
        <p>
          Key: <code>{key}</code>
        </p>
      )}
      <TextField label="Text" value={text} onChange={setText} error={missing} required />
      <CommandHint
        cli={command("annotate", "-m", model, !ofModel && entity, `${key || "KEY"}=${text}`)}
        request={{ method: "PATCH", path: paths.annotations(model), body: { entity, set: { [key || "KEY"]: text } } }}
      />
    </Dialog>
  );
}
