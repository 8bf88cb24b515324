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
export const toCharm = (model: string, url: string): string => `${toModel(model)}/charms/${part(url)}`;
export const toDeploy = (model: string): string => `${toModel(model)}/deploy`;
export const toUser = (name: string): string => `/users/${part(name)}`;

/** The page of what a log line or a status names: `unit-site-0`, `site/0`, `machine-3`. */
export function toEntity(model: string, entity: string): string | null {
  const unit = /^unit-(.+)-(\d+)$/.exec(entity) ?? /^([a-z][a-z0-9-]*)\/(\d+)$/.exec(entity);
  if (unit) return toUnit(model, `${unit[1]}/${unit[2]}`);
  const application = /^application-(.+)$/.exec(entity);
  if (application?.[1]) return toApplication(model, application[1]);
  const machine = /^machine-(.+)$/.exec(entity);
  if (machine?.[1]) return toMachine(model, machine[1]);
  return null;
}
