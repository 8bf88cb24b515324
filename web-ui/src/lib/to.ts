/** Addresses of the pages. */
const part = encodeURIComponent;

export const toModel = (model: string): string => `/models/${part(model)}`;
export const toApplication = (model: string, name: string): string =>
  `${toModel(model)}/applications/${part(name)}`;
export const toUnit = (model: string, name: string): string =>
  `${toModel(model)}/units/${name.split("/").map(part).join("/")}`;
export const toMachine = (model: string, id: string): string =>
  `${toModel(model)}/machines/${part(id.replaceAll("/", "-"))}`;
export const toRelations = (model: string): string => `${toModel(model)}/relations`;
export const toRelation = (model: string, id: number): string => `${toRelations(model)}/${id}`;
export const toReachability = (model: string): string => `${toModel(model)}/reachability`;
export const toIncidents = (model: string): string => `${toModel(model)}/incidents`;
export const toTimeline = (model: string): string => `${toModel(model)}/timeline`;
export const toHookRun = (model: string, id: number): string => `${toModel(model)}/hooks/${id}`;
export const toActions = (model: string, application: string): string => `${toApplication(model, application)}/actions`;
export const toOperations = (model: string): string => `${toModel(model)}/operations`;
export const toOperation = (model: string, id: number): string => `${toOperations(model)}/${id}`;
export const toSecrets = (model: string): string => `${toModel(model)}/secrets`;
/** By its id, or the name that a person gave it. */
export const toSecret = (model: string, id: string): string => `${toSecrets(model)}/${part(id)}`;
export const toStorages = (model: string): string => `${toModel(model)}/storage`;
export const toStorage = (model: string, id: string): string =>
  `${toStorages(model)}/${id.split("/").map(part).join("/")}`;
export const toCharm = (model: string, url: string): string => `${toModel(model)}/charms/${part(url)}`;
export const toBlocks = (model: string): string => `${toModel(model)}/blocks`;
export const toBundles = (model: string): string => `${toModel(model)}/bundles`;
export const toDeploy = (model: string): string => `${toModel(model)}/deploy`;
export const toUser = (name: string): string => `/users/${part(name)}`;
