/** Files that an application has beside its charm, and who gave it which. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { resources } from "../../api";
import * as paths from "../../api/paths";
import type { ResourceInfo } from "../../api/types";
import { CopyTools } from "../../components/Commands";
import { Empty, Failure, Loading } from "../../components/States";
import { Time } from "../../components/Time";
import { bytes } from "../../lib/bytes";
import { command } from "../../lib/commands";
import { useAllowed } from "../../session";
import { UploadDialog } from "./UploadDialog";

export function ResourcesSection({ model, application }: { model: string; application: string }) {
  const queries = useQueryClient();
  const mayWrite = useAllowed(model, "write");
  const [chosen, setChosen] = useState<string | null>(null);
  const queryKey = ["application", application, "resources", model];
  const found = useQuery({ queryKey, queryFn: () => resources.list(model, application) });
  const cli = command("resources", "-m", model, application);
  if (found.isPending) return <Loading what="the resources" />;
  if (found.error) return <Failure error={found.error} cli={cli} onRetry={() => void found.refetch()} />;
  const declared = found.data.resources;
  return (
    <>
      <div className="section__head">
        <CopyTools cli={cli} request={{ path: paths.resources(model, application) }} />
      </div>
      {declared.length === 0 ? (
        <Empty title="This charm has no resources" cli={cli}>
          A resource is a file that you give an application in addition to its charm. A charm declares its resources in <code>metadata.yaml</code>.
        </Empty>
      ) : (
        <table className="list" aria-label="Resources">
          <thead>
            <tr>
              <th scope="col">Resource</th>
              <th scope="col">Description</th>
              <th scope="col">Revision</th>
              <th scope="col">Size</th>
              <th scope="col">SHA-256</th>
              <th scope="col">Uploaded by</th>
              <th scope="col">Uploaded</th>
              {mayWrite && <th scope="col">Attach</th>}
            </tr>
          </thead>
          <tbody>
            {declared.map((resource) => (
              <Row key={resource.name} resource={resource} onUpload={mayWrite ? setChosen : null} />
            ))}
          </tbody>
        </table>
      )}
      {chosen !== null && (
        <UploadDialog
          model={model}
          application={application}
          resource={chosen}
          onDone={() => {
            setChosen(null);
            void queries.invalidateQueries({ queryKey });
          }}
          onClose={() => setChosen(null)}
        />
      )}
    </>
  );
}

function Row({ resource, onUpload }: { resource: ResourceInfo; onUpload: ((name: string) => void) | null }) {
  const { name, attached } = resource;
  return (
    <tr data-resource={name}>
      <th scope="row">{name}</th>
      <td data-label="Description" className="message">
        {resource.description || "–"}
      </td>
      <td data-label="Revision">{attached ? attached.revision : nothing(resource)}</td>
      <td data-label="Size">{attached ? bytes(attached.size) : "—"}</td>
      <td data-label="SHA-256" className="mono">
        {attached ? <span title={attached.sha256}>{attached.sha256.slice(0, 12)}</span> : "—"}
      </td>
      <td data-label="Uploaded by">{attached ? attached["uploaded-by"] : "—"}</td>
      <td data-label="Uploaded">{attached ? <Time at={attached["uploaded-at"]} /> : "—"}</td>
      {onUpload && (
        <td data-label="Attach">
          {resource.type === "file" && (
            <button type="button" className="p-button is-small" onClick={() => onUpload(name)}>
              Upload<span className="u-off-screen"> {name}</span>
            </button>
          )}
        </td>
      )}
    </tr>
  );
}

/** Why there is nothing. */
function nothing({ type }: ResourceInfo): string {
  return type === "file" ? "not attached" : "an image, not supported here";
}
