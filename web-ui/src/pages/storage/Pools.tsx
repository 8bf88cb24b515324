/** The pools of a model: how its storage is made. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { storagePools } from "../../api";
import * as paths from "../../api/paths";
import type { StoragePoolInfo } from "../../api/types";
import { CommandHint, CopyTools } from "../../components/Commands";
import { Dialog } from "../../components/Dialog";
import { SelectField, TextField } from "../../components/Fields";
import { Failure, Loading } from "../../components/States";
import { command } from "../../lib/commands";
import { poolNameError } from "../../lib/storage";
import { useAct } from "../../lib/useAct";

const WORDS: Record<string, string> = {
  rootfs: "directories of the machine's own filesystem",
  tmpfs: "memory, lost with its unit",
  loop: "files with a filesystem in them",
};

export function Pools({ model, mayWrite }: { model: string; mayWrite: boolean }) {
  const queries = useQueryClient();
  const queryKey = ["storage-pools", model];
  const found = useQuery({ queryKey, queryFn: () => storagePools.list(model) });
  const [creating, setCreating] = useState(false);
  const [removing, setRemoving] = useState<string | null>(null);
  const cli = command("storage-pools", "-m", model);
  const changed = (): void => {
    setCreating(false);
    setRemoving(null);
    void queries.invalidateQueries({ queryKey });
  };
  return (
    <section className="section" aria-label="Pools">
      <div className="section__head">
        <h2 className="section__title">Pools</h2>
        {mayWrite && (
          <button type="button" className="p-button" onClick={() => setCreating(true)}>
            Create pool
          </button>
        )}
      </div>
      {found.isPending && <Loading what="the pools" rows={3} />}
      {found.error && <Failure error={found.error} cli={cli} onRetry={() => void found.refetch()} />}
      {found.data && (
        <>
          <CopyTools cli={cli} request={{ path: paths.storagePools(model) }} />
          <PoolTable pools={found.data} onRemove={mayWrite ? setRemoving : null} />
        </>
      )}
      {creating && <CreatePoolDialog model={model} onClose={() => setCreating(false)} onDone={changed} />}
      {removing !== null && (
        <RemovePoolDialog model={model} name={removing} onClose={() => setRemoving(null)} onDone={changed} />
      )}
    </section>
  );
}

function PoolTable({ pools, onRemove }: { pools: StoragePoolInfo[]; onRemove: ((name: string) => void) | null }) {
  return (
    <table className="list" aria-label="Storage pools">
      <thead>
        <tr>
          <th scope="col">Pool</th>
          <th scope="col">Provider</th>
          <th scope="col">Backed by</th>
          <th scope="col">Attributes</th>
          <th scope="col">Storages</th>
          <th scope="col">Origin</th>
          {onRemove && <th scope="col">Actions</th>}
        </tr>
      </thead>
      <tbody>
        {pools.map((pool) => (
          <tr key={pool.name} data-pool={pool.name}>
            <th scope="row">{pool.name}</th>
            <td data-label="Provider">{pool.provider}</td>
            <td data-label="Backed by">{WORDS[pool.provider] ?? "—"}</td>
            <td data-label="Attributes">
              {Object.entries(pool.attributes ?? {})
                .map(([key, value]) => `${key}=${value}`)
                .join(", ") || "—"}
            </td>
            <td data-label="Storages">{pool.storages}</td>
            <td data-label="Origin">{pool["built-in"] ? "built in" : "created"}</td>
            {onRemove && (
              <td data-label="Actions">
                {pool["built-in"] ? (
                  "—"
                ) : (
                  <button type="button" className="p-button is-small" onClick={() => onRemove(pool.name)}>
                    Remove<span className="u-off-screen"> pool {pool.name}</span>
                  </button>
                )}
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function CreatePoolDialog({ model, onClose, onDone }: { model: string; onClose: () => void; onDone: () => void }) {
  const [name, setName] = useState("");
  const [provider, setProvider] = useState("loop");
  const [filesystem, setFilesystem] = useState("ext4");
  const wrong = poolNameError(name);
  const attributes: Record<string, string> = provider === "loop" ? { "filesystem-type": filesystem } : {};
  const body = { name, provider, attributes };
  const create = useAct(() => storagePools.create(model, body), onDone);
  const words = Object.entries(attributes).map(([key, value]) => `${key}=${value}`);
  return (
    <Dialog
      title="Create a pool"
      submit="Create pool"
      disabled={wrong !== null}
      busy={create.busy}
      error={create.error}
      onSubmit={() => create.run()}
      onClose={onClose}
    >
      <TextField label="Name" value={name} onChange={setName} error={name === "" ? null : wrong} required />
      <SelectField
        label="Provider"
        value={provider}
        onChange={setProvider}
        options={Object.entries(WORDS).map(([key, words]) => [key, `${key}: ${words}`])}
      />
      {provider === "loop" && (
        <SelectField label="Filesystem" value={filesystem} onChange={setFilesystem} options={["ext4", "xfs"]} />
      )}
      <CommandHint
        cli={command("create-storage-pool", "-m", model, name || "NAME", provider, ...words)}
        request={{ method: "POST", path: paths.storagePools(model), body }}
      />
    </Dialog>
  );
}

interface Removing {
  model: string;
  name: string;
  onClose: () => void;
  onDone: () => void;
}

function RemovePoolDialog({ model, name, onClose, onDone }: Removing) {
  const remove = useAct(() => storagePools.remove(model, name), onDone);
  return (
    <Dialog
      title={`Remove pool ${name}`}
      submit="Remove pool"
      danger
      busy={remove.busy}
      error={remove.error}
      onSubmit={() => remove.run()}
      onClose={onClose}
    >
      <p>No more storage can be created from it. A pool can only be removed if no storage and no application uses it.</p>
      <CommandHint
        cli={command("remove-storage-pool", "-m", model, name)}
        request={{ method: "DELETE", path: paths.storagePool(model, name) }}
      />
    </Dialog>
  );
}
