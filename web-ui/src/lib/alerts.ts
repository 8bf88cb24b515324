/** What alerts are about, in words, and where that is. */
import type { AlertCondition, AlertInfo } from "../api/types";
import { toMachine, toModel, toRelation, toStorage, toUnit } from "./to";

interface Condition {
  value: AlertCondition;
  label: string;
  /** How its threshold is written. */
  threshold: string;
  help: string;
  ofModel: boolean;
}

export const CONDITIONS: readonly Condition[] = [
  {
    value: "unit-error",
    label: "Unit in error",
    threshold: "5m",
    help: "A duration: how long a unit may be in error",
    ofModel: true,
  },
  {
    value: "removal-overdue",
    label: "Removal past its deadline",
    threshold: "10m",
    help: "A duration: how long after its deadline a removal may end",
    ofModel: true,
  },
  {
    value: "hook-p99",
    label: "Slow hooks",
    threshold: "30s",
    help: "A duration: the limit for the p99 hook time of a model",
    ofModel: true,
  },
  {
    value: "disk-full",
    label: "Controller disk full",
    threshold: "90%",
    help: "A percentage of the disk",
    ofModel: false,
  },
];

export function conditionOf(value: string): Condition | undefined {
  return CONDITIONS.find((condition) => condition.value === value);
}

/** Why a threshold cannot be one, as far as the page can tell; the controller has the last word. */
export function thresholdError(condition: AlertCondition, text: string): string | null {
  const given = text.trim();
  if (condition === "disk-full") {
    const percent = Number(given.replace(/%$/, ""));
    return /^\d{1,2}%?$/.test(given) && percent >= 1 ? null : "A percentage from 1% to 99%";
  }
  const duration = /^(\d+(\.\d+)?(ms|s|m|h|d))+$/.test(given);
  return duration || (given === "0" && condition !== "hook-p99") ? null : "A duration such as 5m, 1h30m or 250ms";
}

/** What an alert is about: `probe/0`, `machine 3`, `storage data/0`. */
export function subjectName({ subject }: Pick<AlertInfo, "subject">): string {
  if (subject === "disk") return "disk of the controller";
  const [kind = "", ...rest] = subject.split("/");
  if (rest.length === 0) return subject;
  return kind === "unit" ? rest.join("/") : `${kind} ${rest.join("/")}`;
}

/** The page of what an alert is about; nothing for what has none. */
export function toSubject({ model, subject }: AlertInfo): string | null {
  if (model === "") return "/controller";
  const [kind = "", ...rest] = subject.split("/");
  const name = rest.join("/");
  switch (kind) {
    case "unit":
      return toUnit(model, name);
    case "machine":
      return toMachine(model, name);
    case "relation":
      return toRelation(model, Number(name));
    case "storage":
      return toStorage(model, name);
    case "hooks":
      return `${toModel(model)}/hooks`;
    default:
      return null;
  }
}
