import { expect, test } from "vitest";
import type { CharmInfo } from "../api/types";
import { askedStorage, countError, declaredStorage, isWrong, NOTHING_ASKED, sizeError, storageWords } from "./deployStorage";

const charm = {
  metadata: {
    storage: {
      pages: { type: "filesystem", description: "Pages.", multiple: { range: "0-1" } },
      disk: { type: "block" },
      cache: { type: "filesystem", shared: true },
    },
  },
} as unknown as CharmInfo;

test("directories can be asked for, block devices cannot", () => {
  expect(declaredStorage(charm)).toEqual([
    { name: "cache", description: "", shared: true, range: "1" },
    { name: "pages", description: "Pages.", shared: false, range: "0-1" },
  ]);
  expect(declaredStorage(null)).toEqual([]);
});

test("what is left empty is left to the charm and the model", () => {
  const texts = {
    cache: NOTHING_ASKED,
    data: { pool: "loop", count: "2", size: "1.5G" },
    logs: { pool: "", count: "", size: "64M" },
  };
  expect(askedStorage(texts)).toEqual({ data: { pool: "loop", count: 2, size: 1536 }, logs: { size: 64 } });
  expect(storageWords(texts)).toEqual(["--storage", "data=loop,2,1536M", "--storage", "logs=64M"]);
  expect(askedStorage({})).toEqual({});
});

test("numbers and sizes that are none are said to be wrong and are not asked for", () => {
  for (const text of ["0", "-1", "two", "1.5", "1001"]) expect(countError(text), text).not.toBeNull();
  for (const text of ["", "1", "1000"]) expect(countError(text), text).toBeNull();
  for (const text of ["many", "0M", "1X"]) expect(sizeError(text), text).not.toBeNull();
  expect(sizeError("")).toBeNull();
  const texts = { data: { pool: "", count: "two", size: "many" } };
  expect(isWrong(texts)).toBe(true);
  expect(isWrong({ data: { pool: "loop", count: "1", size: "10G" } })).toBe(false);
  expect(askedStorage(texts)).toEqual({});
});
