import { useEffect, useState } from "react";
import { useNavigate, useParams, useSearchParams } from "react-router";
import { applications as applicationApi, relations as relationApi } from "../../api";
import * as paths from "../../api/paths";
import type { CharmInfo } from "../../api/types";
import { CharmPicker } from "../../components/CharmPicker";
import { CommandHint } from "../../components/Commands";
import { TextField } from "../../components/Fields";
import { PageHead } from "../../components/PageHead";
import { Failure } from "../../components/States";
import { command } from "../../lib/commands";
import { APPLICATION_NAME, changedValues, freeName, machinesError, machinesOf, valueError } from "../../lib/deployForm";
import { endpointsOf, integrateAll, possibleRelations, type Refused } from "../../lib/deployRelations";
import { asked as undecided, type Chosen, choicesOf, choiceWords } from "../../lib/grants";
import { type AllStorageTexts, askedStorage, isWrong, storageWords } from "../../lib/deployStorage";
import { toApplication, toModel } from "../../lib/to";
import { useAct } from "../../lib/useAct";
import { useCharms } from "../../lib/useCharms";
import { useModel } from "../../live/context";
import { CapabilityFields, useCapabilities } from "../grants/CapabilityFields";
import { Deployed } from "./Deployed";
import { OptionFields } from "./OptionFields";
import { RelationFields } from "./RelationFields";
import { StorageFields } from "./StorageFields";

export function DeployPage() {
  const { model = "" } = useParams();
  const navigate = useNavigate();
  const [parameters] = useSearchParams();
  const { applications, machines: present, relations } = useModel(model);
  const { charms } = useCharms(model);
  const [charm, setCharm] = useState<CharmInfo | null>(null);
  const [channel, setChannel] = useState("");
  const [name, setName] = useState("");
  const [named, setNamed] = useState(false);
  const [typed, setUnits] = useState("1");
  const [texts, setTexts] = useState<Record<string, string>>({});
  const [storage, setStorage] = useState<AllStorageTexts>({});
  const [constraints, setConstraints] = useState("");
  const [places, setPlaces] = useState("");
  const [granted, setGranted] = useState<Chosen>({});
  const capabilities = useCapabilities(model, charm);
  const [related, setRelated] = useState<readonly string[]>([]);
  const [deployed, setDeployed] = useState<{ name: string; refused: readonly Refused[] } | null>(null);
  const taken = applications.map((each) => each.name);

  const choose = (chosen: CharmInfo | null, from: string): void => {
    setCharm(chosen);
    setChannel(from);
    setTexts({});
    setStorage({});
    setGranted({});
    setRelated([]);
    if (chosen && !named) setName(freeName(chosen.name, taken));
  };
  const wanted = parameters.get("charm");
  const preset = charms.find(({ url }) => url === wanted);
  useEffect(() => {
    if (preset && !charm) choose(preset, "");
    // Only the first time the charm of the address is known.
  }, [preset]);

  const subordinate = charm?.subordinate ?? false;
  const units = subordinate ? "0" : typed;
  const asked = askedStorage(storage);
  const machines = subordinate ? "" : constraints.trim();
  const placesError = subordinate ? null : machinesError(places, present.map(({ id }) => id), Number(units));
  const placement = subordinate ? [] : (machinesOf(places) ?? []);
  const choices = choicesOf(capabilities.grants, granted);
  const decided = !capabilities.pending && undecided(capabilities.grants).every(({ capability }) => granted[capability]);
  const body = {
    application: name,
    charm: charm?.url ?? "",
    units: Number(units),
    config: charm ? changedValues(charm, texts) : {},
    ...(Object.keys(asked).length > 0 && { storage: asked }),
    ...(machines !== "" && { constraints: machines }),
    ...(placement.length > 0 && { placement }),
    ...(channel === "" ? {} : { channel }),
    ...(choices && { capabilities: choices }),
  };
  const possible = charm ? possibleRelations(charm, applications, charms, relations) : [];
  const chosen = possible.filter(({ key }) => related.includes(key));
  const ends = chosen.map((one) => endpointsOf(one, name || "NAME"));
  const after = (name: string, refused: readonly Refused[]): void => {
    if (refused.length === 0) void navigate(toApplication(model, name));
    else setDeployed({ name, refused });
  };
  const deploy = useAct(
    async () => {
      await applicationApi.deploy(model, body);
      return integrateAll(ends, (endpoints) => relationApi.integrate(model, endpoints));
    },
    (refused) => after(name, refused),
  );
  // While its relations are made the application is there already.
  const nameError = !name || deploy.busy
    ? null
    : taken.includes(name)
      ? "There is already an application with this name"
      : APPLICATION_NAME.test(name)
        ? null
        : "Lower-case letters, digits and dashes; starts with a letter, and no part is digits only";
  const unitsError = /^\d+$/.test(units) && Number(units) <= 1000 ? null : "A number from 0 to 1000";
  const wrong =
    charm !== null &&
    Object.entries(texts).some(([option, text]) => {
      const kind = charm.config.options[option]?.type;
      return kind !== undefined && valueError(kind, text) !== null;
    });
  const ready = charm !== null && name !== "" && !nameError && !unitsError && !wrong && !placesError && !isWrong(storage) && decided;
  const count = subordinate || units === "1" ? [] : ["-n", units];
  const settings = Object.entries(body.config).flatMap(([key, value]) => ["--config", `${key}=${String(value)}`]);
  const source = charm && channel ? [charm.name, "--channel", channel] : ["./FILE.charm"];
  const head = (
    <PageHead
      title="Deploy"
      crumbs={[
        { to: "/models", label: "Models" },
        { to: toModel(model), label: model },
      ]}
      summary={`Run a charm as an application in ${model}`}
    />
  );
  if (deployed) {
    return (
      <>
        {head}
        <Deployed model={model} {...deployed} onTried={(refused) => after(deployed.name, refused)} />
      </>
    );
  }
  return (
    <>
      {head}
      <form
        className="deploy"
        onSubmit={(event) => {
          event.preventDefault();
          if (ready) deploy.run();
        }}
      >
        <CharmPicker model={model} charms={charms} chosen={charm} onChoose={choose} />
        <div className="deploy__row">
          <TextField
            label="Application name"
            value={name}
            onChange={(value) => {
              setName(value);
              setNamed(value !== "");
            }}
            error={nameError}
          />
          {subordinate ? (
            <p className="p-form-help-text deploy__note">
              This charm is a subordinate: its units are created beside the units of the applications it
              is integrated with.
            </p>
          ) : (
            <TextField
              label="Number of units"
              type="number"
              min={0}
              max={1000}
              value={units}
              onChange={setUnits}
              error={unitsError}
            />
          )}
        </div>
        {charm && !subordinate && (
          <div className="deploy__row">
            <TextField
              label="Machines"
              value={places}
              onChange={setPlaces}
              error={placesError}
              help="For the units in their order, as in 0, 3; the other units get new machines"
            />
            <TextField
              label="Machine constraints"
              value={constraints}
              onChange={setConstraints}
              help="Requirements on the machines created for its units, as in mem=4G cores=2"
            />
          </div>
        )}
        {charm && <OptionFields charm={charm} texts={texts} onChange={setTexts} />}
        {charm && <StorageFields model={model} charm={charm} texts={storage} onChange={setStorage} />}
        {charm && (
          <CapabilityFields
            grants={capabilities.grants}
            error={capabilities.error}
            chosen={granted}
            onChange={setGranted}
          />
        )}
        <RelationFields model={model} possible={possible} chosen={chosen} onChange={setRelated} />
        {deploy.error != null && <Failure error={deploy.error} />}
        <CommandHint
          cli={[
            command(
              "deploy",
              "-m",
              model,
              ...source,
              name || "NAME",
              ...count,
              ...settings,
              ...(placement.length > 0 ? ["--to", placement.join(",")] : []),
              ...storageWords(storage),
              ...choiceWords(choices),
              ...(machines === "" ? [] : ["--constraints", machines]),
            ),
            ...ends.map((endpoints) => command("integrate", "-m", model, ...endpoints)),
          ].join(" &&\n")}
          request={{ method: "POST", path: `${paths.model(model)}/applications`, body }}
          then={ends.map((endpoints) => ({ method: "POST", path: paths.relations(model), body: { endpoints } }))}
        />
        <button type="submit" className="p-button--positive" disabled={!ready || deploy.busy}>
          {deploy.busy ? "Deploying…" : "Deploy"}
        </button>
      </form>
    </>
  );
}
