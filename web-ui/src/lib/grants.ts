/** What applications are granted of what their charms declare, in words and as requests say it. */
import type { CapabilityChoices, CharmInfo, Grant } from "../api/types";

/** What a person chose about each capability, by its text. */
export type Chosen = Readonly<Record<string, "grant" | "deny">>;

/** What a charm declares: the controller's sentence, and apart from it the charm's reason. */
export function declaredOf(charm: CharmInfo): { capability: string; allows: string; why: string | null }[] {
  return (charm.declared ?? []).map(({ capability, why = null }, place) => {
    const words = charm.capabilities[place] ?? capability;
    const reason = why === null ? "; no reason given" : `; reason: ${why}`;
    return { capability, allows: words.endsWith(reason) ? words.slice(0, -reason.length) : words, why };
  });
}

/** Whether an application has it. */
export const holds = ({ standing }: Grant): boolean => standing === "default" || standing === "granted";

/** What somebody has to decide about. */
export const asked = (grants: readonly Grant[], before?: CharmInfo): Grant[] => news(grants, "undecided", before);

/** What the model's policy does not allow and nobody denied yet. */
export const forbidden = (grants: readonly Grant[], before?: CharmInfo): Grant[] => news(grants, "beyond-policy", before);

/** Those of a standing, less what the charm of before had: that is not asked about again. */
function news(grants: readonly Grant[], wanted: Grant["standing"], before?: CharmInfo): Grant[] {
  const had = new Set(before?.declared?.map(({ capability }) => capability));
  return grants.filter(({ standing, capability }) => standing === wanted && !had.has(capability));
}

/** As a request says it: what the policy does not allow is denied. Nothing where there is nothing to say. */
export function choicesOf(grants: readonly Grant[], chosen: Chosen, before?: CharmInfo): CapabilityChoices | null {
  const names = (what: "grant" | "deny"): string[] =>
    asked(grants, before)
      .map(({ capability }) => capability)
      .filter((capability) => chosen[capability] === what);
  const grant = names("grant");
  const deny = [...names("deny"), ...forbidden(grants, before).map(({ capability }) => capability)];
  if (grant.length + deny.length === 0) return null;
  return { ...(grant.length > 0 && { grant }), ...(deny.length > 0 && { deny }) };
}

/** The same on the command line. */
export function choiceWords(choices: CapabilityChoices | null): string[] {
  const flags = (flag: string, all: readonly string[] | undefined): string[] => (all ?? []).flatMap((one) => [flag, one]);
  return [...flags("--grant", choices?.grant), ...flags("--deny", choices?.deny)];
}

/** What holds of a capability, and whether a grant is one that could be taken back without loss. */
export function standingWords({ standing, by, used }: Grant): string {
  const who = by ? ` by ${by}` : "";
  const spare = used ? "" : ", and no component of the charm could use it";
  switch (standing) {
    case "default":
      return `granted by default${spare}`;
    case "granted":
      return `granted${who}${spare}`;
    case "denied":
      return `denied${who}`;
    case "undecided":
      return "not granted";
    case "beyond-policy":
      return "beyond the policy";
    default:
      return "not declared any more";
  }
}
