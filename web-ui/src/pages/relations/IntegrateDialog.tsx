import { useState } from "react";
import { relations as relationApi } from "../../api";
import * as paths from "../../api/paths";
import { CommandHint } from "../../components/Commands";
import { Dialog } from "../../components/Dialog";
import { SelectField } from "../../components/Fields";
import { Empty } from "../../components/States";
import { command } from "../../lib/commands";
import { offers, scopeOf, type Side, sideName, sidesOf } from "../../lib/relations";
import { useAct } from "../../lib/useAct";
import { useCharms } from "../../lib/useCharms";
import { useModel } from "../../live/context";

interface Properties {
  model: string;
  /** The application whose endpoints are offered; of all without it. */
  from?: string;
  /** The application at the other end that is offered first. */
  to?: string;
  onClose: () => void;
}

/** Relates two endpoints. Only what fits is offered; the controller has the last word. */
export function IntegrateDialog({ model, from, to, onClose }: Properties) {
  const { applications, relations } = useModel(model);
  const { charms } = useCharms(model);
  const offered = offers(applications, charms, relations, from ?? null);
  const [wanted, setWanted] = useState("");
  const [partner, setPartner] = useState("");
  const meets = ({ application }: Side): boolean => application === to;
  const offer =
    offered.find(({ mine }) => sideName(mine) === wanted) ??
    offered.find(({ others }) => others.some(meets)) ??
    offered[0];
  const other =
    offer?.others.find((side) => sideName(side) === partner) ?? offer?.others.find(meets) ?? offer?.others[0];
  const endpoints: [string, string] = [
    offer ? sideName(offer.mine) : "APPLICATION:ENDPOINT",
    other ? sideName(other) : "APPLICATION:ENDPOINT",
  ];
  const integrate = useAct(() => relationApi.integrate(model, endpoints), onClose);
  const own = applications.find(({ name }) => name === from);
  const ownCharm = charms.find(({ url }) => url === own?.charm);
  return (
    <Dialog
      title={from ? `Integrate ${from}` : "Integrate two applications"}
      submit="Integrate"
      disabled={!offer || !other}
      busy={integrate.busy}
      error={integrate.error}
      onSubmit={() => integrate.run()}
      onClose={onClose}
    >
      {offer && other ? (
        <>
          <SelectField
            label={from ? "Its endpoint" : "Endpoint"}
            value={sideName(offer.mine)}
            onChange={(value) => {
              setWanted(value);
              setPartner("");
              integrate.reset();
            }}
            options={offered.map(({ mine }) => [sideName(mine), described(mine)])}
          />
          <SelectField
            label="Related to"
            value={sideName(other)}
            onChange={(value) => {
              setPartner(value);
              integrate.reset();
            }}
            options={offer.others.map((side) => [sideName(side), described(side)])}
            help="Endpoints of other applications with the same interface that accept another relation"
          />
          <p role="status">{outcome(offer.mine, other)}</p>
        </>
      ) : (
        <Empty title={from ? `No other endpoint in this model fits ${from}` : "No endpoints left to integrate"}>
          {from && ownCharm
            ? `${from} has ${list(sidesOf(from, ownCharm).map(described))}. Deploy a charm with the other side of one of them.`
            : "Two endpoints fit when one provides the interface that the other requires."}
        </Empty>
      )}
      <CommandHint
        cli={command("integrate", "-m", model, ...endpoints)}
        request={{ method: "POST", path: paths.relations(model), body: { endpoints } }}
      />
    </Dialog>
  );
}

/** `front:website (requires http)`. */
function described(side: Side): string {
  const does = side.role === "provider" ? "provides" : "requires";
  return `${sideName(side)} (${does} ${side.interface}${side.subordinate ? ", subordinate" : ""})`;
}

function outcome(one: Side, other: Side): string {
  if (scopeOf(one, other) !== "container") {
    return "The units of each side see those of the other side.";
  }
  const [guest, host] = one.subordinate ? [one, other] : [other, one];
  return `A unit of ${guest.application} is created beside every unit of ${host.application}.`;
}

const list = (texts: string[]): string => (texts.length > 0 ? texts.join(", ") : "no endpoints");
