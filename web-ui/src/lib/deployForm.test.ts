import { describe, expect, it } from "vitest";
import { machinesError, machinesOf } from "./deployForm";

describe("machines for units", () => {
  it("are read in their order, with commas or spaces between them", () => {
    expect(machinesOf(" 3, 0  0/lxd/1,")).toEqual(["3", "0", "0/lxd/1"]);
    expect(machinesOf("")).toEqual([]);
    expect(machinesOf("0, web")).toBeNull();
  });

  it("have to be there, and no more than units", () => {
    const known = ["0", "1", "2"];
    expect(machinesError("", known, 0)).toBeNull();
    expect(machinesError("2,0", known, 2)).toBeNull();
    expect(machinesError("2,0", known, 1)).toBe("2 machines for 1 unit");
    expect(machinesError("7", known, 1)).toBe("There is no machine 7 in this model");
    expect(machinesError("zero", known, 1)).toBe("Numbers of machines, separated by commas");
  });
});
