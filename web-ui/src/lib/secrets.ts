/** Secrets in words, and what is typed of one. */
import type { SecretInfo, SecretValues } from "../api/types";

/** Whether people added it, who may change it then; those of charms are the charms' to change. */
export const isOfPeople = ({ owner }: SecretInfo): boolean => owner.kind === "model";

/** The name that a person gave it, the label of a charm, or else its id. */
export const nameOf = ({ id, label }: SecretInfo): string => label || id;

/** To whom it belongs. */
export const ownerOf = (secret: SecretInfo): string => (isOfPeople(secret) ? "the model" : secret.owner.name);

/** The newest. A secret has one for as long as it is there. */
export const newestOf = ({ revisions }: SecretInfo): number => revisions.at(-1)?.revision ?? 0;

/** Whether a person granted it, rather than a charm for as long as a relation is there. */
export const isLasting = ({ relation }: SecretInfo["grants"][number]): boolean => relation == null;

const applicationOf = (name: string): string => name.split("/")[0] ?? name;

/** Those of an application and of its units. */
export function ownedBy(secrets: readonly SecretInfo[], application: string): SecretInfo[] {
  return secrets.filter((secret) => !isOfPeople(secret) && applicationOf(secret.owner.name) === application);
}

/** Those of others that an application, or one of its units, may read. */
export function grantedTo(secrets: readonly SecretInfo[], application: string): SecretInfo[] {
  return secrets.filter(
    (secret) =>
      secret.grants.some(({ to }) => applicationOf(to) === application) &&
      (isOfPeople(secret) || applicationOf(secret.owner.name) !== application),
  );
}

/** People's first, then by owner and name. */
export function inOrder(secrets: readonly SecretInfo[]): SecretInfo[] {
  const key = (secret: SecretInfo): string => (isOfPeople(secret) ? "" : secret.owner.name);
  return secrets.toSorted(
    (a, b) => key(a).localeCompare(key(b)) || nameOf(a).localeCompare(nameOf(b)) || a.id.localeCompare(b.id),
  );
}

/** The one that an address means. */
export function found(secrets: readonly SecretInfo[], name: string): SecretInfo | undefined {
  return secrets.find(({ id }) => id === name) ?? secrets.find((secret) => isOfPeople(secret) && secret.label === name);
}

/** One value as it is typed. */
export interface Typed {
  key: string;
  value: string;
}

export const BLANK: Typed = { key: "", value: "" };

/** What is wrong with the key of one of them; nothing where it can be one. */
export function keyError(all: readonly Typed[], place: number): string | null {
  const key = all[place]?.key ?? "";
  if (!/^(?=.{3})[a-z][a-z0-9-]*[a-z0-9]$/.test(key)) {
    return "At least 3 lower-case letters, digits and dashes, a letter first";
  }
  return all.findIndex((each) => each.key === key) < place ? "Another value has this key" : null;
}

export const isBlank = ({ key, value }: Typed): boolean => key === "" && value === "";

/** Whether nothing was typed. */
export const isNothing = (all: readonly Typed[]): boolean => all.every(isBlank);

/** The values as they are sent; none where one of them cannot be. Lines that were left empty are nothing. */
export function valuesOf(all: readonly Typed[]): SecretValues | null {
  const typed = all.filter((each) => !isBlank(each));
  if (typed.length === 0 || typed.some((_, place) => keyError(typed, place) !== null)) return null;
  return Object.fromEntries(typed.map(({ key, value }) => [key, value]));
}

/** What is wrong with the name of a secret; nothing where it can be one. */
export function nameError(name: string): string | null {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name)) {
    return "Letters, digits, dashes, underscores and dots, a letter or a digit first";
  }
  return /^[0-9a-v]{20}$/.test(name) ? "This looks like an id" : null;
}
