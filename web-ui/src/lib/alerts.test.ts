import { describe, expect, it } from "vitest";
import type { AlertInfo } from "../api/types";
import { subjectName, thresholdError, toSubject } from "./alerts";
import { Fresh, notice } from "./notifications";

const alert = (more: Partial<AlertInfo> = {}): AlertInfo => ({
  id: 1,
  rule: "errors",
  model: "shop",
  subject: "unit/site/0",
  state: "firing",
  detail: "hook failed",
  since: "2026-11-22T21:50:00Z",
  "fired-at": "2026-11-22T21:55:00Z",
  ...more,
});

describe("alerts", () => {
  it("lead to what they are about", () => {
    expect(toSubject(alert())).toBe("/models/shop/units/site/0");
    expect(toSubject(alert({ subject: "machine/3" }))).toBe("/models/shop/machines/3");
    expect(toSubject(alert({ subject: "storage/data/0" }))).toBe("/models/shop/storage/data/0");
    expect(toSubject(alert({ subject: "hooks" }))).toBe("/models/shop/hooks");
    expect(toSubject(alert({ model: "", subject: "disk" }))).toBe("/controller");
  });

  it("name what they are about as the pages do", () => {
    const names = ["unit/site/0", "machine/3", "storage/data/0", "hooks", "disk"].map((subject) => subjectName({ subject }));
    expect(names).toEqual(["site/0", "machine 3", "storage data/0", "hooks", "disk of the controller"]);
  });

  it("have thresholds as their conditions do", () => {
    for (const text of ["5m", "1h30m", "250ms", "1.5m"]) expect(thresholdError("hook-p99", text)).toBeNull();
    for (const text of ["", "5", "90%", "0", "5 m"]) expect(thresholdError("hook-p99", text)).not.toBeNull();
    expect(thresholdError("unit-error", "0")).toBeNull();
    for (const text of ["90%", "90", "1%"]) expect(thresholdError("disk-full", text)).toBeNull();
    for (const text of ["0%", "100%", "5m", ""]) expect(thresholdError("disk-full", text)).not.toBeNull();
  });

  it("are notified of once, and not where somebody has taken them on", () => {
    const fresh = new Fresh();
    expect(fresh.take([alert(), alert({ id: 2, "acknowledged-by": "ann" })])).toHaveLength(1);
    expect(fresh.take([alert()])).toEqual([]);
    expect(fresh.take([alert({ id: 3, state: "resolved" })])).toEqual([]);
  });

  it("are one notification when several fire together", () => {
    expect(notice([alert()])).toEqual({ title: "Alert: site/0 in shop", body: "errors: hook failed" });
    expect(notice([alert(), alert({ id: 2, rule: "late" })])).toEqual({ title: "2 alerts", body: "errors, late" });
  });
});
