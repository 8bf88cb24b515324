/** What is done to several applications at once. */
import { useState } from "react";
import { applications as applicationApi } from "../../../../api";
import type { ApplicationInfo, CharmInfo } from "../../../../api/types";
import { CommandHint } from "../../../../components/Commands";
import { TextField } from "../../../../components/Fields";
import { TakesAlong } from "../../../../components/TakesAlong";
import { command } from "../../../../lib/commands";
import { counted } from "../../../../lib/fleet/bulk";
import { alongWithApplications, type Model } from "../../../../lib/fleet/going";
import { newestOf } from "../../../../lib/fleet/refresh";
import { subordinatesOf } from "../../../../lib/relations";
import { aliveUnits, leaving, unitsError } from "../../../../lib/scale";
import { GoingStorage } from "../../../storage/GoingStorage";
import { BulkDialog } from "./BulkDialog";
import { Force } from "./Force";

export interface ApplicationsProperties {
  model: string;
  chosen: readonly ApplicationInfo[];
  entities: Model;
  charms: readonly CharmInfo[];
  onClose: () => void;
}

/** One name, or how many. */
const titled = (chosen: readonly ApplicationInfo[]): string =>
  chosen.length === 1 ? (chosen[0]?.name ?? "") : counted(chosen.length, "application");

export function ScaleApplicationsDialog({ model, chosen, entities, onClose }: ApplicationsProperties) {
  const [text, setText] = useState("");
  const error = unitsError(text);
  const scalable = chosen.filter(({ subordinate, life }) => !subordinate && life === "alive");
  const others = chosen.filter((each) => !scalable.includes(each)).map(({ name }) => name);
  const wanted = error === null ? Number(text) : null;
  const changes = scalable.map(({ name }) => {
    const units = entities.units.filter(({ application }) => application === name);
    const now = aliveUnits(units).length;
    return { name, now, leaving: wanted === null ? [] : leaving(units, wanted) };
  });
  const changing = wanted === null ? [] : changes.filter(({ now }) => now !== wanted);
  const going = changing.flatMap((each) => each.leaving);
  const beside = subordinatesOf(new Set(going), entities.units);
  return (
    <BulkDialog
      title={`Scale ${titled(chosen)}`}
      submit={going.length > 0 ? `Scale and remove ${counted(going.length, "unit")}` : "Scale"}
      danger={going.length > 0}
      disabled={changing.length === 0}
      confirm={going.length > 0 ? `remove ${going.length}` : undefined}
      tasks={() =>
        changing.map(({ name }) => ({ name, act: () => applicationApi.scale(model, name, { units: Number(text) }) }))
      }
      onClose={onClose}
    >
      <TextField
        label="Units of each"
        type="number"
        min={0}
        value={text}
        onChange={setText}
        error={text === "" ? null : error}
      />
      <ul className="takes-along" aria-label="Changes">
        {changes.map(({ name, now }) => (
          <li key={name}>
            <strong>{name}</strong> {wanted === null ? `has ${counted(now, "unit")}` : now === wanted ? `stays at ${now}` : `from ${now} to ${wanted}`}
          </li>
        ))}
        {others.length > 0 && <TakesAlong names={others} one="cannot be scaled:" many="cannot be scaled:" />}
      </ul>
      {going.length > 0 && (
        <>
          <p>This removes, after the stop and remove hooks:</p>
          <ul className="takes-along">
            <TakesAlong names={going} one="unit" many="units" more="and the machines that only they use" />
            <TakesAlong names={beside} one="the subordinate unit" many="the subordinate units" more="in their containers" />
          </ul>
        </>
      )}
    </BulkDialog>
  );
}

export function RefreshApplicationsDialog({ model, chosen, charms, onClose }: ApplicationsProperties) {
  const [force, setForce] = useState(false);
  const steps = chosen.flatMap((application) => {
    const newest = newestOf(application, charms);
    return newest ? [{ application, newest }] : [];
  });
  const choice = <Force force={force} onChange={setForce} more="also units in error" />;
  const others = chosen.filter((each) => !steps.some(({ application }) => application === each)).map(({ name }) => name);
  return (
    <BulkDialog
      title={`Refresh ${titled(chosen)}`}
      submit="Refresh"
      disabled={steps.length === 0}
      tasks={() =>
        steps.map(({ application: { name }, newest }) => ({
          name,
          act: () => applicationApi.refresh(model, name, newest.url, force, "", null),
        }))
      }
      again={choice}
      onClose={onClose}
    >
      {steps.length > 0 && (
        <>
          <p>Each goes to the newest revision of its charm in this model. Every unit runs <code>upgrade-charm</code>; state is kept.</p>
          <ul className="takes-along" aria-label="Changes">
            {steps.map(({ application, newest }) => (
              <li key={application.name}>
                <strong>{application.name}</strong> from {application.charm} to {newest.url}
              </li>
            ))}
          </ul>
        </>
      )}
      {others.length > 0 && (
        <p>
          Already at the newest revision in this model: <strong>{others.join(", ")}</strong>. Upload a newer charm on the
          application's page.
        </p>
      )}
      {choice}
    </BulkDialog>
  );
}

export function RemoveApplicationsDialog({ model, chosen, entities, onClose }: ApplicationsProperties) {
  const [force, setForce] = useState(false);
  const [destroyStorage, setDestroyStorage] = useState(false);
  const names = chosen.map(({ name }) => name);
  const [along] = useState(() => alongWithApplications(names, entities));
  const title = titled(chosen);
  const choices = (
    <>
      <GoingStorage storages={along.storages} destroy={destroyStorage} onChange={setDestroyStorage} />
      <Force force={force} onChange={setForce} />
    </>
  );
  return (
    <BulkDialog
      title={`Remove ${title}`}
      submit={chosen.length === 1 ? "Remove application" : `Remove ${title}`}
      danger
      confirm={chosen.length === 1 ? title : `remove ${chosen.length}`}
      tasks={() => names.map((name) => ({ name, act: () => applicationApi.remove(model, name, force, destroyStorage) }))}
      again={choices}
      onClose={onClose}
    >
      <p>This removes, after the stop and remove hooks:</p>
      <ul className="takes-along">
        <TakesAlong names={names} one="application" many="applications" more="with their configuration" />
        <TakesAlong names={along.units} one="unit" many="units" more="with their state" none="no units" />
        <TakesAlong names={along.subordinates} one="subordinate unit" many="subordinate units" more="beside them" />
        <TakesAlong names={along.machines} one="machine" many="machines" more="that only they use" none="no machines" />
        <TakesAlong names={along.relations} one="relation" many="relations" />
      </ul>
      {choices}
      <CommandHint
        cli={command("remove-application", "-m", model, ...names, "--no-prompt", force && "--force", destroyStorage && "--destroy-storage")}
      />
    </BulkDialog>
  );
}
