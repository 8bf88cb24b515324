/** What a unit's charm keeps in `/state`, for admins of the model. Every access is recorded, so nothing is asked for twice by itself. */
import { useQuery } from "@tanstack/react-query";
import { Link, useSearchParams } from "react-router";
import { files } from "../../api";
import * as paths from "../../api/paths";
import type { FileEntry, FileListing } from "../../api/types";
import { CopyTools } from "../../components/Commands";
import { Empty, Failure, Loading } from "../../components/States";
import { Time } from "../../components/Time";
import { bytes } from "../../lib/bytes";
import { command } from "../../lib/commands";
import { crumbs, fileSearch, ONE_LOOK, STATE, within } from "../../lib/files";
import { toModel } from "../../lib/to";
import { useAllowed, useVisitor } from "../../session";
import { UnitFile } from "./UnitFile";

export function UnitFiles({ model, unit }: { model: string; unit: string }) {
  const may = useAllowed(model, "admin");
  const [parameters] = useSearchParams();
  if (!useVisitor().asked) return <Loading what="your access" />;
  if (!may) {
    return (
      <Empty title={`Only admins of ${model} see the files of its units`} cli="periapt whoami">
        Charms keep credentials among them. Ask an admin of the model for admin access.
      </Empty>
    );
  }
  const file = parameters.get("file");
  const path = file || parameters.get("path") || STATE;
  return (
    <>
      <p className="muted">
        The files of {unit} as its last committed hook left them. Every access is recorded in the{" "}
        <Link to={`${toModel(model)}/audit`}>audit log</Link>.
      </p>
      <Crumbs path={path} />
      {file ? (
        <UnitFile key={file} model={model} unit={unit} path={file} />
      ) : (
        <Directory key={path} model={model} unit={unit} path={path} />
      )}
    </>
  );
}

function Crumbs({ path }: { path: string }) {
  const all = crumbs(path);
  return (
    <nav className="file-crumbs" aria-label="Path">
      <ol>
        {all.map(({ name, path: to }, depth) => (
          <li key={to}>
            {depth === all.length - 1 ? (
              <bdi aria-current="page">{name}</bdi>
            ) : (
              <Link to={fileSearch("path", to)}>
                <bdi>{name}</bdi>
              </Link>
            )}
          </li>
        ))}
      </ol>
    </nav>
  );
}

interface Place {
  model: string;
  unit: string;
  path: string;
}

function Directory({ model, unit, path }: Place) {
  const listing = useQuery({
    queryKey: ["files", model, unit, path],
    queryFn: () => files.list(model, unit, path),
    ...ONE_LOOK,
  });
  const cli = command("files", "ls", "-m", model, `${unit}:${path}`);
  const again = (): void => void listing.refetch();
  if (listing.isPending) return <Loading what="the directory" />;
  if (listing.error) return <Failure error={listing.error} cli={cli} onRetry={again} />;
  const { entries } = listing.data;
  const look = (
    <button type="button" className="p-button" disabled={listing.isFetching} onClick={again}>
      Refresh
    </button>
  );
  if (entries.length === 0) {
    return (
      <Empty title={path === STATE ? `No files in ${unit}` : `${path} is empty`} cli={cli} action={look}>
        {path === STATE ? "Its charm has written none, or has not run its first hook." : undefined}
      </Empty>
    );
  }
  return (
    <>
      <div className="section__head">
        <CopyTools cli={cli} request={{ method: "POST", path: paths.fileList(model, unit), body: { path } }} />
        {look}
      </div>
      <Entries path={path} listing={listing.data} />
    </>
  );
}

function Entries({ path, listing: { entries, count } }: { path: string; listing: FileListing }) {
  return (
    <>
      <table className="list" aria-label={`Files in ${path}`}>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Kind</th>
            <th scope="col">Size</th>
            <th scope="col">Changed</th>
          </tr>
        </thead>
        <tbody>
          {entries.map((entry, place) => (
            // Names that are no UTF-8 may look alike.
            <Entry key={place} directory={path} entry={entry} />
          ))}
        </tbody>
      </table>
      {count > entries.length && (
        <p className="muted">
          {path} has {count} entries. The first {entries.length} are listed.
        </p>
      )}
    </>
  );
}

function Entry({ directory, entry: { name, kind, bytes: size, "modified-at": changed } }: { directory: string; entry: FileEntry }) {
  const path = within(directory, name);
  const shown = <bdi className="file-name">{name}</bdi>;
  return (
    <tr data-file={name}>
      <th scope="row">
        {kind === "directory" || kind === "file" ? (
          <Link to={fileSearch(kind === "file" ? "file" : "path", path)}>{shown}</Link>
        ) : (
          shown
        )}
      </th>
      <td data-label="Kind">{kind === "link" ? "link, not followed" : kind}</td>
      <td data-label="Size" className="nowrap">{kind === "file" ? bytes(size) : "—"}</td>
      <td data-label="Changed" className="nowrap">
        <Time at={changed} />
      </td>
    </tr>
  );
}
