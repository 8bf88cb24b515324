/** Addresses of the API. Names are encoded here and nowhere else; `described.test.ts` holds every call against the description. */

const part = encodeURIComponent;

export const model = (name: string): string => `/v1/models/${part(name)}`;

export const application = (inModel: string, name: string): string =>
  `${model(inModel)}/applications/${part(name)}`;

/** `site/0` stands as two parts. */
export const unit = (inModel: string, name: string): string =>
  `${model(inModel)}/units/${name.split("/").map(part).join("/")}`;

export const machines = (inModel: string): string => `${model(inModel)}/machines`;
/** What a unit's charm keeps in `/state`. */
export const fileList = (inModel: string, name: string): string => `${unit(inModel, name)}/files/list`;

export const fileRead = (inModel: string, name: string): string => `${unit(inModel, name)}/files/read`;

export const top = (inModel: string): string => `${model(inModel)}/top`;

/** A container's id is written with dashes. */
export const machine = (inModel: string, id: string): string =>
  `${model(inModel)}/machines/${part(id.replaceAll("/", "-"))}`;

export const relations = (inModel: string): string => `${model(inModel)}/relations`;

export const relation = (inModel: string, id: number): string => `${relations(inModel)}/${id}`;

export const reachability = (inModel: string): string => `${model(inModel)}/reachability`;

export const charm = (inModel: string, url: string): string =>
  `${model(inModel)}/charms/${part(url)}`;

export const charmReadme = (inModel: string, url: string): string => `${charm(inModel, url)}/readme`;

/**
 * What changes in a model, or in all that the visitor may see. The entities at its beginning come in lists:
 * thousands of events take a browser longer than what is in them.
 */
export const events = (inModel: string | null): string =>
  `${inModel === null ? "/v1" : model(inModel)}/events?lists=true`;

export const ALERTS = "/v1/alerts";
export const ALERT_RULES = "/v1/alert-rules";
export const ALERT_RECEIVERS = "/v1/alert-receivers";
export const ALERT_DELIVERIES = "/v1/alert-deliveries";

export const alert = (id: number): string => `${ALERTS}/${id}`;

export const alertRule = (name: string): string => `${ALERT_RULES}/${part(name)}`;

export const alertReceiver = (name: string): string => `${ALERT_RECEIVERS}/${part(name)}`;

export const logs = (inModel: string): string => `${model(inModel)}/logs`;

export const actions = (inModel: string, name: string): string => `${application(inModel, name)}/actions`;

export const grants = (inModel: string, name: string): string => `${application(inModel, name)}/grants`;

export const resources = (inModel: string, name: string): string => `${application(inModel, name)}/resources`;

export const resource = (inModel: string, name: string, resource: string): string =>
  `${resources(inModel, name)}/${part(resource)}`;

export const incidents = (inModel: string): string => `${model(inModel)}/incidents`;

/** What is done with an incident: `retry`, `skip` or `silence`. */
export const incident = (inModel: string, id: string, what: "retry" | "skip" | "silence"): string =>
  `${incidents(inModel)}/${part(id)}/${what}`;

export const timeline = (inModel: string): string => `${model(inModel)}/timeline`;

export const unitWhy = (inModel: string, name: string): string => `${unit(inModel, name)}/why`;
export const hookReport = (inModel: string, id: number): string => `${model(inModel)}/hooks/${id}/report`;

export const blocks = (inModel: string): string => `${model(inModel)}/blocks`;

export const block = (inModel: string, kind: string): string => `${blocks(inModel)}/${part(kind)}`;

export const annotations = (inModel: string): string => `${model(inModel)}/annotations`;

export const bundles = (inModel: string): string => `${model(inModel)}/bundles`;

export const bundle = (inModel: string, apply: number): string => `${bundles(inModel)}/${apply}`;

export const bundleExport = (inModel: string): string => `${model(inModel)}/bundle`;

export const bundleDrift = (inModel: string): string => `${bundleExport(inModel)}/drift`;

export const operations = (inModel: string): string => `${model(inModel)}/operations`;

export const operation = (inModel: string, id: number | string): string => `${operations(inModel)}/${part(id)}`;

export const task = (inModel: string, id: number): string => `${model(inModel)}/tasks/${id}`;

export const secrets = (inModel: string): string => `${model(inModel)}/secrets`;

/** By its id, or the name that a person gave it. */
export const secret = (inModel: string, id: string): string => `${secrets(inModel)}/${part(id)}`;

export const secretGrants = (inModel: string, id: string): string => `${secret(inModel, id)}/grants`;

export const secretGrant = (inModel: string, id: string, application: string): string =>
  `${secretGrants(inModel, id)}/${part(application)}`;

export const SECRET_BACKENDS = "/v1/secret-backends";

export const storages = (inModel: string): string => `${model(inModel)}/storage`;

/** `data/0` stands as two parts. */
export const storage = (inModel: string, id: string): string =>
  `${storages(inModel)}/${id.split("/").map(part).join("/")}`;

export const unitStorage = (inModel: string, name: string): string => `${unit(inModel, name)}/storage`;

export const storagePools = (inModel: string): string => `${model(inModel)}/storage-pools`;

export const storagePool = (inModel: string, name: string): string => `${storagePools(inModel)}/${part(name)}`;

/** How something is removed, as it stands behind its address. */
export const removal = (force: boolean, destroyStorage: boolean | null): string =>
  said([force && "force=true", destroyStorage !== null && `destroy-storage=${destroyStorage}`]);

/** The same of a storage, whose directory may be kept. */
export const storageRemoval = (force: boolean, keep: boolean): string =>
  said([force && "force=true", keep && "no-destroy=true"]);

function said(words: (string | false)[]): string {
  const all = words.filter(Boolean);
  return all.length > 0 ? `?${all.join("&")}` : "";
}

export const user = (name: string): string => `/v1/users/${part(name)}`;

export const modelAccess = (inModel: string, name: string): string =>
  `${model(inModel)}/access/${part(name)}`;
