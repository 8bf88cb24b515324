/** What is asked for, as a request and on the command line. Pure. */
import type { EnqueueOperation } from "../../api/types";
import { command } from "../commands";
import { isObject, type Parameters } from "./fields";
import { joined } from "./words";

/** An action with its parameters, or the words of a command. */
export type Asked = { action: string; parameters: Parameters } | { command: readonly string[] };

export interface Target {
  /** `named`: whatever stands in `units`. */
  who: "all" | "leader" | "named";
  units: readonly string[];
}

export interface Options {
  /** Seconds, as typed. */
  timeout: string;
  /** Empty: as the charm says. */
  parallel: "" | "true" | "false";
  group: string;
}

export const NO_OPTIONS: Options = { timeout: "", parallel: "", group: "" };

/** Seconds that a task may compute at most. */
export const LONGEST = 3600;

/** What is wrong with a time limit; null when nothing is. */
export function timeoutError(text: string): string | null {
  const word = text.trim();
  const seconds = Number(word);
  const fits = /^\d+(\.\d+)?$/.test(word) && seconds >= 0.001 && seconds <= LONGEST;
  return word === "" || fits ? null : `A number of seconds, at most ${LONGEST}`;
}

export function requestOf(asked: Asked, application: string, target: Target, options: Options): EnqueueOperation {
  const body: EnqueueOperation = {};
  if ("action" in asked) {
    body.action = asked.action;
    if (Object.keys(asked.parameters).length > 0) body.parameters = asked.parameters;
  } else {
    body.command = [...asked.command];
  }
  if (target.who === "all") body.applications = [application];
  else body.units = target.who === "leader" ? [`${application}/leader`] : [...target.units];
  if (options.timeout.trim() !== "") body.timeout = Math.round(Number(options.timeout) * 1000);
  if (options.parallel !== "") body.parallel = options.parallel === "true";
  if (options.group.trim() !== "") body["execution-group"] = options.group.trim();
  return body;
}

/** The same on the command line. `all` are the units that an application has. */
export function runCommand(model: string, body: EnqueueOperation, all: readonly string[]): string {
  const { action, units = [], applications = [], timeout } = body;
  const options = [
    ...(timeout ? ["--timeout", timeout % 1000 === 0 ? `${timeout / 1000}s` : `${timeout}ms`] : []),
    ...(body.parallel === undefined || body.parallel === null ? [] : [`--parallel=${body.parallel}`]),
    ...(body["execution-group"] ? ["--execution-group", body["execution-group"]] : []),
  ];
  if (!action) {
    const where = [
      ...(units.length > 0 ? ["--unit", units.join(",")] : []),
      ...(applications.length > 0 ? ["--application", applications.join(",")] : []),
    ];
    return `${command("exec", "-m", model, ...where, ...options)} -- ${joined(body.command ?? [])}`;
  }
  const where = units.length > 0 ? units : all;
  return command("run", "-m", model, ...options, ...where, action, ...pairs(body.parameters ?? {}));
}

/** `keep.days=7 title=Shop`. */
export function pairs(parameters: Parameters, before = ""): string[] {
  return Object.entries(parameters).flatMap(([name, value]) => {
    const whole = before + name;
    if (isObject(value) && Object.keys(value).length > 0) return pairs(value, `${whole}.`);
    return [`${whole}=${typeof value === "string" ? plain(value) : JSON.stringify(value)}`];
  });
}

/** A text as YAML reads it as one: `5` would be a number there. */
function plain(text: string): string {
  return /^[\p{L}_/][\p{L}\p{N} _./@-]*$/u.test(text) && !/^(true|false|yes|no|on|off|null|y|n)$/i.test(text) && !text.endsWith(" ")
    ? text
    : JSON.stringify(text);
}
