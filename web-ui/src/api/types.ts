/**
 * Bodies of the HTTP API by the names the page uses, taken from `schema.d.ts`, which `npm run types` makes
 * of the API's description (`docs/reference/openapi.json`) before every check, test and build. What stands
 * here in full is what the description leaves open. Times are RFC 3339 in UTC.
 */

import type { components, paths } from "./schema";

type Schemas = components["schemas"];

export type Life = Schemas["Life"];
export type ControllerAccess = Schemas["ControllerAccess"];
export type ModelPermission = Schemas["ModelPermission"];
export type Problem = Schemas["Problem"];
export type Session = Schemas["Session"];
export type OwnModelAccess = Schemas["OwnModelAccess"];
export type WhoAmI = Schemas["WhoAmI"];
export type UserInfo = Schemas["UserInfo"];
export type AddedUser = Schemas["AddedUser"];
export type TokenInfo = Schemas["TokenInfo"];
export type AddedToken = Schemas["AddedToken"];
export type ModelAccess = Schemas["ModelAccess"];
export type ControllerInfo = Schemas["ControllerInfo"];
export type ModelSummary = Schemas["ModelSummary"];
export type ConfigValue = Schemas["ConfigValue"];
export type ConfigKind = Schemas["ConfigKind"];
export type ConfigOption = Schemas["ConfigOption"];
export type ConfigSchema = Schemas["ConfigSchema"];
export type ConfigSetting = Schemas["ConfigSetting"];
export type ConfigChange = Required<Schemas["ConfigChange"]>;
export type ApplicationConfig = Schemas["ApplicationConfig"];
export type ApplicationInfo = Schemas["ApplicationInfo"];
export type Expose = Schemas["Expose"];
export type UnitInfo = Schemas["UnitInfo"];
export type UnitRelation = Schemas["UnitRelation"];
export type UnitBag = Schemas["UnitBag"];
export type MachineInfo = Schemas["MachineInfo"];
export type RelationEndpoint = Schemas["RelationEndpoint"];
export type RelationInfo = Schemas["RelationInfo"];
export type CharmMetadata = Schemas["CharmMetadata"];
export type CharmEndpoint = Schemas["Endpoint"];
export type LiveEvent = Schemas["Event"];
export type CharmInfo = Schemas["CharmInfo"];
export type CharmReadme = Schemas["CharmReadme"];
export type Grant = Schemas["CapabilityGrant"];
export type Grants = Schemas["Grants"];
export type CapabilityChoices = Schemas["CapabilityChoices"];
export type CharmRepository = Schemas["CharmRepository"];
export type Removal = Schemas["Removal"];
export type DeployBundle = Schemas["DeployBundle"];
export type BundlePlan = Schemas["BundlePlan"];
export type BundleMissing = Schemas["BundleMissing"];
export type UploadedResource = Schemas["UploadedResource"];
export type BundleChange = Schemas["BundleChange"];
export type BundleApply = Schemas["BundleApply"];
export type BundleDifference = Schemas["BundleDifference"];
export type BundleDrift = Schemas["BundleDrift"];
export type BundleExport = Schemas["BundleExport"];
export type HistoryEntry = Schemas["HistoryEntry"];
export type MetricHistory = Schemas["MetricHistory"];
export type HookRun = Schemas["HookRun"];
export type HookDetails = Schemas["HookDetails"];
export type RunEffect = Schemas["RunEffect"];
export type Why = Schemas["Why"];
export type WhyStep = Schemas["WhyStep"];
export type IncidentInfo = Schemas["IncidentInfo"];
export type IncidentAnswer = Schemas["IncidentAnswer"];
export type SilenceInfo = Schemas["SilenceInfo"];
export type TimelineEntry = Schemas["TimelineEntry"];
export type HookUsage = Schemas["HookUsage"];
export type Top = Schemas["Top"];
export type TopBy = Schemas["TopBy"];
export type UnitUsage = Schemas["UnitUsage"];
export type FileEntry = Schemas["FileEntry"];
export type FileListing = Schemas["FileListing"];
export type AuditRecord = Schemas["AuditRecord"];
export type Reachability = Schemas["Reachability"];
export type UnitReach = Schemas["UnitReach"];
export type ServiceInfo = Schemas["ServiceInfo"];
export type ServicePassed = Schemas["ServicePassed"];
export type CheckInfo = Schemas["CheckInfo"];
export type Traffic = Schemas["Traffic"];
export type TrafficMinute = Schemas["TrafficMinute"];
export type WorkerRow = Schemas["WorkerRow"];
export type Figures = Schemas["Figures"];
export type NodeView = Schemas["NodeView"];
export type EngineView = Schemas["EngineView"];
export type EngineMap = Schemas["EngineMap"];

export type AlertInfo = Schemas["AlertInfo"];
export type AlertRuleInfo = Schemas["AlertRuleInfo"];
export type AlertReceiverInfo = Schemas["AlertReceiverInfo"];
export type AlertDelivery = Schemas["AlertDelivery"];
export type AlertCondition = Schemas["Condition"];

export type SecretInfo = Schemas["SecretInfo"];
export type SecretRevision = Schemas["SecretRevision"];
export type SecretBackendInfo = Schemas["SecretBackendInfo"];
/** Texts by key; in no answer but that of `reveal`. */
export type SecretValues = Record<string, string>;
export type RevealedSecret = Omit<Schemas["RevealedSecret"], "values"> & { values: SecretValues };

export type StorageInfo = Schemas["StorageInfo"];
export type StorageAttachment = Schemas["StorageAttachmentInfo"];
export type StoragePoolInfo = Schemas["StoragePoolInfo"];
/** What is left out is as for the other units of the application. */
export type AskedStorage = Schemas["Asked"];

export type ConfigValues = NonNullable<Schemas["Deploy"]["config"]>;
export type Settings = UnitBag["data"];

/** Each list has a schema of its own, alike but for its items. */
export type Page<T> = Omit<Schemas["Page_HookRun"], "items"> & { items: T[] };

export type ApplicationResources = Schemas["ApplicationResources"];
export type ResourceInfo = Schemas["ResourceInfo"];
export type AttachedResource = Schemas["AttachedResource"];
export type BlockInfo = Schemas["BlockInfo"];
export type BlockKind = Schemas["BlockKind"];
export type EntityAnnotations = Schemas["EntityAnnotations"];

export type TaskStatus = Schemas["TaskStatus"];
export type TaskLine = Schemas["TaskLine"];
/** Of parameters, results and schemas the description says no more than that they are objects. */
type Objects = Record<string, unknown>;
export type TaskInfo = Omit<Schemas["TaskInfo"], "parameters" | "results"> & {
  parameters?: Objects;
  results?: Objects | null;
};
export type OperationInfo = Omit<Schemas["OperationInfo"], "tasks"> & { tasks: TaskInfo[] };
export type EnqueueOperation = Omit<Schemas["EnqueueOperation"], "parameters"> & { parameters?: Objects };
export type ActionInfo = Omit<Schemas["ActionInfo"], "schema"> & { schema: Objects };
export type ApplicationActions = Omit<Schemas["ApplicationActions"], "actions"> & {
  actions: Record<string, ActionInfo>;
};

/** The answer has no name in the description. */
export type ConfigSettings =
  paths["/v1/models/{model}/config"]["get"]["responses"]["200"]["content"]["application/json"];

export type LogRecord = Schemas["LogRecord"];
export type Check = Schemas["Check"];
export type Probe = Schemas["Probe"];
export type Scaled = Schemas["Scaled"];
export type SetScale = Schemas["SetScale"];
