import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";
import { files } from "../../api";
import type { Bytes } from "../../api/client";
import * as paths from "../../api/paths";
import { CopyTools } from "../../components/Commands";
import { Failure, Loading } from "../../components/States";
import { bytes } from "../../lib/bytes";
import { command } from "../../lib/commands";
import { dump, fileSearch, isCut, nameOf, ONE_LOOK, parent, SHOWN, textOf } from "../../lib/files";
import { save } from "../../lib/save";
import { useAct } from "../../lib/useAct";

interface Place {
  model: string;
  unit: string;
  path: string;
}

/** One file of a unit: its beginning as a text or in base 16, and all of it as a download. */
export function UnitFile({ model, unit, path }: Place) {
  const content = useQuery({
    queryKey: ["file", model, unit, path],
    queryFn: ({ signal }) => files.read(model, unit, path, SHOWN, signal),
    ...ONE_LOOK,
  });
  const cli = command("files", "cat", "-m", model, `${unit}:${path}`);
  const back = <Link to={fileSearch("path", parent(path))}>Back to {parent(path)}</Link>;
  if (content.isPending) return <Loading what="the file" />;
  if (content.error) {
    return (
      <>
        <Failure error={content.error} cli={cli} onRetry={() => void content.refetch()} />
        <p>{back}</p>
      </>
    );
  }
  return (
    <>
      <div className="section__head">
        <CopyTools cli={cli} request={{ method: "POST", path: paths.fileRead(model, unit), body: { path } }} />
        <Download model={model} unit={unit} path={path} known={content.data} />
      </div>
      <Content path={path} content={content.data} />
      <p>{back}</p>
    </>
  );
}

function Content({ path, content: { bytes: read, whole, total } }: { path: string; content: Bytes }) {
  const text = textOf(read, whole);
  const size = total === null ? `more than ${bytes(read.length)}` : total < 1024 ? `${total} bytes` : bytes(total);
  if (text === "") return <p className="muted">The file is empty.</p>;
  return (
    <>
      <p className="muted">
        {text === null ? `Binary, ${size}.` : `Text, ${size}.`}{" "}
        {text === null && isCut(read) && "The first bytes are shown. "}
        {text !== null && !whole && `The first ${bytes(read.length)} are shown. `}
        {(!whole || (text === null && isCut(read))) && "Download it to see the rest."}
      </p>
      {/* Long ones scroll in themselves, which a keyboard can do as well. */}
      <pre className="file-text" tabIndex={0} role="region" aria-label={`Content of ${path}`}>
        {text ?? dump(read)}
      </pre>
    </>
  );
}

/** What was read whole is saved as it is; the rest of a longer file is one more look. */
function Download({ model, unit, path, known }: Place & { known: Bytes }) {
  const [saved, setSaved] = useState(false);
  const download = useAct(
    () => (known.whole ? Promise.resolve(known) : files.read(model, unit, path)),
    (all) => {
      save(all.bytes, nameOf(path));
      setSaved(true);
    },
  );
  return (
    <div>
      <button type="button" className="p-button" disabled={download.busy} onClick={() => download.run()}>
        {download.busy ? "Downloading" : "Download"}
      </button>
      {download.error !== null && <Failure error={download.error} />}
      <span className="u-off-screen" role="status">{saved ? `${nameOf(path)} was downloaded` : ""}</span>
    </div>
  );
}
