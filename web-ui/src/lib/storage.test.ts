import { describe, expect, it } from "vitest";
import type { CharmInfo, StorageInfo, UnitInfo } from "../api/types";
import {
  addable,
  goes,
  goingWithApplication,
  goingWithUnits,
  inOrder,
  isShared,
  mibOf,
  ofUnit,
  outliving,
  placesFor,
  poolNameError,
  sizeOf,
} from "./storage";

const storage = (id: string, owner: string | null, units: string[], persistent = true): StorageInfo =>
  ({
    id,
    owner,
    persistent,
    life: "alive",
    size: 1536,
    limited: persistent,
    attachments: units.map((unit) => ({ unit })),
  }) as StorageInfo;

const ALL = [
  storage("data/3", null, []),
  storage("pool/2", "site", ["site/10", "site/9"]),
  storage("cache/1", "site/9", ["site/9"], false),
  storage("data/0", "site/9", ["site/9"]),
];

const ids = (storages: StorageInfo[]): string[] => storages.map(({ id }) => id);

describe("storage", () => {
  it("is listed by who has it, what nobody has last", () => {
    expect(ids(inOrder(ALL))).toEqual(["cache/1", "data/0", "pool/2", "data/3"]);
    expect(ids(ofUnit(ALL, "site/10"))).toEqual(["pool/2"]);
    expect(ids(outliving(ALL))).toEqual(["data/3", "pool/2", "data/0"]);
    expect(ALL.map(isShared)).toEqual([false, true, false, false]);
  });

  it("has a size, which is a wish where nothing holds it", () => {
    expect(sizeOf(storage("a/0", null, []))).toBe("1.5 GiB");
    expect(sizeOf(storage("a/0", null, [], false))).toBe("1.5 GiB, not enforced");
  });

  it("stays when units go, unless it is destroyed or ends with them", () => {
    const fate = (destroy: boolean) =>
      goingWithUnits(ALL, ["site/9"]).map((each) => [each.storage.id, goes(each, destroy)]);
    expect(fate(false)).toEqual([["pool/2", false], ["cache/1", true], ["data/0", false]]);
    expect(fate(true)).toEqual([["pool/2", false], ["cache/1", true], ["data/0", true]]);
    const whole = goingWithApplication(ALL, "site", ["site/9", "site/10"]);
    expect(whole.map((each) => goes(each, true))).toEqual([true, true, true]);
  });

  it("is attached to units whose charm has a place for it", () => {
    const charms = [
      { url: "local:site-0", metadata: { storage: { data: { type: "filesystem" } } } },
      { url: "local:front-0", metadata: {} },
    ] as unknown as CharmInfo[];
    const unit = (name: string, charm: string, life = "alive") => ({ name, charm, life }) as UnitInfo;
    const units = [
      unit("site/10", "local:site-0"),
      unit("site/9", "local:site-0"),
      unit("site/1", "local:site-0", "dying"),
      unit("front/0", "local:front-0"),
    ];
    expect(placesFor(ALL[3] as StorageInfo, units, charms)).toEqual(["site/9", "site/10"]);
    expect(addable(charms[0])).toEqual(["data"]);
    expect(addable(undefined)).toEqual([]);
  });

  it("is asked for in sizes as people write them, of pools with plain names", () => {
    expect(["512", "512M", "10G", "1.5GiB", "1T"].map(mibOf)).toEqual([512, 512, 10_240, 1536, 1_048_576]);
    expect(["", "0", "G", "-1G", "1K"].map(mibOf)).toEqual([null, null, null, null, null]);
    expect([poolNameError("fast-1"), poolNameError("1x") === null]).toEqual([null, false]);
  });
});
