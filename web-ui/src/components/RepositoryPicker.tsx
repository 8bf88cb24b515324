/** A charm of the controller's charm repository, which the controller fetches for the model. */
import { useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { charms } from "../api";
import type { CharmInfo } from "../api/types";
import { useAct } from "../lib/useAct";
import { Failure } from "./States";

interface Properties {
  model: string;
  /** Only charms of this name. */
  only?: string | undefined;
  onTake: (charm: CharmInfo, channel: string) => void;
}

export function RepositoryPicker({ model, only, onTake }: Properties) {
  const id = useId();
  const [wanted, setWanted] = useState("");
  const repository = useQuery({ queryKey: ["charm-repository"], queryFn: charms.repository, staleTime: 30_000 });
  const choices = (repository.data?.charms ?? [])
    .filter(({ name }) => only === undefined || name === only)
    .flatMap(({ name, channels }) => channels.map((each) => ({ name, ...each })));
  const take = useAct(
    async ({ name, channel }: { name: string; channel: string }) => ({
      charm: await charms.take(model, name, channel),
      channel,
    }),
    ({ charm, channel }) => onTake(charm, channel),
  );
  if (repository.error) return <Failure error={repository.error} />;
  // A controller without a repository has nothing to choose from, and nobody needs to be told.
  if (choices.length === 0) return null;
  const chosen = choices.find(({ name, channel }) => `${name} ${channel}` === wanted);
  return (
    <div className="repository-picker">
      <label htmlFor={id}>or choose one from the charm repository</label>
      <div className="repository-picker__row">
        <select id={id} value={wanted} disabled={take.busy} onChange={(event) => setWanted(event.target.value)}>
          <option value="">Choose a charm</option>
          {choices.map(({ name, channel, revision }) => (
            <option key={`${name} ${channel}`} value={`${name} ${channel}`}>
              {name}, {channel}, revision {revision}
            </option>
          ))}
        </select>
        <button
          type="button"
          className="p-button"
          disabled={!chosen || take.busy}
          onClick={() => chosen && take.run(chosen)}
        >
          {take.busy ? "Fetching and compiling…" : "Fetch"}
        </button>
      </div>
      {take.error != null && <Failure error={take.error} />}
    </div>
  );
}
