/** Whether this browser shows alerts as notifications: the visitor's choice, and the browser's permission. */
import { useSyncExternalStore } from "react";
import type { AlertInfo } from "../api/types";
import { subjectName } from "./alerts";

const KEY = "periapt-notifications";
const listeners = new Set<() => void>();

/** `unavailable` where the browser has no such thing, as over an address that it does not trust. */
export type Choice = "unavailable" | "denied" | "off" | "on";

function choice(): Choice {
  if (typeof Notification === "undefined") return "unavailable";
  if (Notification.permission === "denied") return "denied";
  try {
    return localStorage.getItem(KEY) === "on" && Notification.permission === "granted" ? "on" : "off";
  } catch {
    return "off";
  }
}

function changed(): void {
  for (const listener of listeners) listener();
}

export function useNotifications(): Choice {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, choice);
}

/** Asks the browser's permission first, which it asks the visitor for; what came of it. */
export async function setNotifications(on: boolean): Promise<Choice> {
  try {
    if (on && choice() !== "unavailable") await Notification.requestPermission();
    localStorage.setItem(KEY, on ? "on" : "off");
  } catch {
    // Without storage nothing is remembered, and so nothing is shown.
  }
  changed();
  return choice();
}

/** What a notification says of alerts that fired together. */
export function notice(alerts: readonly AlertInfo[]): { title: string; body: string } {
  const [first] = alerts;
  const rules = [...new Set(alerts.map(({ rule }) => rule))].join(", ");
  if (!first || alerts.length > 1) return { title: `${alerts.length} alerts`, body: rules };
  const subject = subjectName(first);
  const where = first.model === "" ? subject : `${subject} in ${first.model}`;
  return { title: `Alert: ${where}`, body: [first.rule, first.detail].filter(Boolean).join(": ") };
}

/** Those that have begun since they were last looked at: each is shown once. */
export class Fresh {
  private seen = new Set<number>();

  take(alerts: readonly AlertInfo[]): AlertInfo[] {
    const fresh = alerts.filter(
      ({ id, state, ...alert }) => state === "firing" && !alert["acknowledged-by"] && !this.seen.has(id),
    );
    for (const { id } of alerts) this.seen.add(id);
    return fresh;
  }
}
