// @vitest-environment jsdom
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { StorageInfo } from "../../api/types";
import { goingWithUnits } from "../../lib/storage";
import { GoingStorage } from "./GoingStorage";

afterEach(cleanup);

const storage = (id: string, owner: string, persistent: boolean): StorageInfo =>
  ({ id, owner, persistent, attachments: [{ unit: "site/0" }] }) as StorageInfo;

const KEPT = storage("data/0", "site/0", true);
const MEMORY = storage("cache/1", "site/0", false);
const SHARED = storage("pool/2", "site", true);

function shown(storages: StorageInfo[], destroy: boolean): { lines: string[]; onChange: ReturnType<typeof vi.fn> } {
  const onChange = vi.fn();
  const going = goingWithUnits(storages, ["site/0"]);
  render(<GoingStorage storages={going} destroy={destroy} onChange={onChange} />);
  return { lines: screen.queryAllByRole("listitem").map(({ textContent }) => textContent ?? ""), onChange };
}

describe("the storage of a unit that goes", () => {
  it("is no part of the question where there is none", () => {
    expect(shown([], false).lines).toEqual([]);
    expect(screen.queryByRole("checkbox")).toBeNull();
  });

  it("stays unless somebody wants it to go, but for what is in memory", () => {
    const { lines, onChange } = shown([KEPT, MEMORY], false);
    expect(lines).toEqual(["destroyed with its contents: cache/1", "detached and kept: data/0"]);
    fireEvent.click(screen.getByRole("checkbox"));
    expect(onChange).toHaveBeenCalledWith(true);
    cleanup();
    expect(shown([KEPT, MEMORY], true).lines).toEqual(["destroyed with their contents: cache/1, data/0"]);
  });

  it("cannot go where other units share it", () => {
    expect(shown([SHARED], true).lines).toEqual(["detached and kept: pool/2"]);
    expect(screen.queryByRole("checkbox")).toBeNull();
  });
});
