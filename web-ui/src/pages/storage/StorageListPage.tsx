/** The storage of a model, and the pools that it is made of. */
import { useState } from "react";
import { useParams } from "react-router";
import * as paths from "../../api/paths";
import { CopyTools } from "../../components/Commands";
import { Empty } from "../../components/States";
import { command } from "../../lib/commands";
import { useStorages } from "../../live/context";
import { useAllowed } from "../../session";
import { ImportDialog } from "./ImportDialog";
import { Pools } from "./Pools";
import { StorageTable } from "./StorageTable";

export function StorageListPage() {
  const { model = "" } = useParams();
  const storages = useStorages(model);
  const mayWrite = useAllowed(model, "write");
  const [importing, setImporting] = useState(false);
  return (
    <>
      <section className="section" aria-label="Storage">
        <div className="section__head">
          <h2 className="section__title">
            Storage <span className="section__count">{storages.length}</span>
          </h2>
          {mayWrite && (
            <button type="button" className="p-button" onClick={() => setImporting(true)}>
              Import
            </button>
          )}
        </div>
        {storages.length === 0 ? (
          <Empty
            title="No storage"
            cli={command("deploy", "-m", model, "CHARM", "--storage", "NAME=POOL,COUNT,SIZE")}
          >
            Storage is a directory that outlives its unit. A charm declares the storage that its units may have.
          </Empty>
        ) : (
          <>
            <CopyTools cli={command("storage", "-m", model)} request={{ path: paths.storages(model) }} />
            <StorageTable model={model} storages={storages} caption={`Storage of ${model}`} />
          </>
        )}
      </section>
      <Pools model={model} mayWrite={mayWrite} />
      {importing && <ImportDialog model={model} onClose={() => setImporting(false)} />}
    </>
  );
}
