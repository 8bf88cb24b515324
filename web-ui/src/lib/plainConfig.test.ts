// @vitest-environment jsdom
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { createElement } from "react";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { ConfigSettings } from "../api/types";
import { ConfigForm } from "../components/charts";
import { changeOf, fieldsOf } from "../components/charts/config/edit";
import { diffOf } from "../components/charts/config/diff";
import { plainConfig, withoutSecrets } from "./plainConfig";

const SETTINGS: ConfigSettings = {
  "force-wait": { type: "duration", value: "1m", default: "1m", source: "default", description: "How long." },
  "removal-deadline": { type: "duration", value: "12h", default: "24h", source: "model", description: "" },
  "provisioner-harvest-mode": {
    type: "choice", value: "destroyed", default: "destroyed", source: "default", choices: ["all", "destroyed"], description: "",
  },
  "syslog-client-key": { type: "secret", source: "model", description: "The key." },
  "another-key": { type: "secret", source: "default", description: "" },
};
const config = plainConfig("m", SETTINGS, "model");

afterEach(cleanup);

describe("options of a model", () => {
  it("are told apart by who set them", () => {
    const sources = Object.fromEntries(fieldsOf(config, {}).map(({ name, source }) => [name, source]));
    expect(sources).toEqual({
      "force-wait": "default",
      "removal-deadline": "set",
      "provisioner-harvest-mode": "default",
      "syslog-client-key": "set",
      "another-key": "unset",
    });
  });

  it("have what was set for all models as their default", () => {
    const inherited: ConfigSettings = {
      region: { type: "duration", value: "3m", default: "3m", source: "region", description: "" },
      cloud: { type: "duration", value: "2m", default: "2m", source: "controller", description: "" },
    };
    const sources = (own: "model" | "controller") =>
      fieldsOf(plainConfig("m", inherited, own), {}).map(({ source }) => source);
    expect(sources("model")).toEqual(["default", "default"]);
    expect(sources("controller")).toEqual(["default", "set"]);
  });

  it("show type, description and default, and reset only what was set", () => {
    render(createElement(ConfigForm, { config, onApply: () => {} }));
    expect(screen.getAllByText("duration")).toHaveLength(2);
    expect(screen.getByText("How long.")).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Reset to default: force-wait" })).toBeNull();
    expect(screen.getByRole("button", { name: "Reset to default: removal-deadline" })).toBeTruthy();
    expect(screen.getByText(/default “24h”/)).toBeTruthy();
  });
});

describe("options without effect", () => {
  it("are folded away, unless they are set or sought", () => {
    const idle = "Juju's option, without effect here: nothing is sent to anybody.";
    const settings: ConfigSettings = {
      "force-wait": { type: "duration", value: "1m", default: "1m", source: "default", description: "How long." },
      "snap-store": { type: "text", value: "", default: "", source: "default", description: idle },
      "image-stream": { type: "text", value: "daily", default: "", source: "model", description: idle },
      ...Object.fromEntries(
        Array.from({ length: 8 }, (_, place) => [
          `option-${place}`,
          { type: "text", value: "", default: "", source: "default", description: "" },
        ]),
      ),
    };
    render(createElement(ConfigForm, { config: plainConfig("m", settings, "model"), onApply: () => {} }));
    const folded = (name: string): boolean => screen.getByLabelText(name).closest("details") !== null;
    expect(["force-wait", "snap-store", "image-stream"].map(folded)).toEqual([false, true, false]);
    fireEvent.change(screen.getByLabelText("Filter options"), { target: { value: "snap" } });
    expect(folded("snap-store")).toBe(false);
  });
});

describe("a secret", () => {
  it("is set or not set, replaced or unset, and never shown", () => {
    const applied = vi.fn();
    const { container } = render(createElement(ConfigForm, { config, onApply: applied }));
    expect(screen.getByText("Set. The value is not shown.")).toBeTruthy();
    expect(screen.getByText("Not set.")).toBeTruthy();
    expect(screen.getByRole("button", { name: "Unset: syslog-client-key" })).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Unset: another-key" })).toBeNull();
    fireEvent.click(screen.getByRole("button", { name: "Replace: syslog-client-key" }));
    const review = (): HTMLButtonElement => screen.getByRole("button", { name: /^Review/ });
    expect(review().disabled).toBe(true);
    fireEvent.change(screen.getByLabelText("syslog-client-key"), { target: { value: "PEM\nof a key" } });
    fireEvent.click(review());
    expect(container.textContent).not.toContain("PEM");
    expect(container.textContent).toContain("(new value, not shown)");
    fireEvent.click(screen.getByRole("button", { name: "Apply" }));
    expect(applied).toHaveBeenCalledExactlyOnceWith({ set: { "syslog-client-key": "PEM\nof a key" }, reset: [] });
  });

  it("is unset by a reset, whatever it was", () => {
    const change = changeOf(config, { "syslog-client-key": { kind: "reset", base: "" } });
    expect(change).toEqual({ set: {}, reset: ["syslog-client-key"] });
    expect(diffOf(config, change)[0]).toMatchObject({ before: "set", after: "unset" });
  });

  it("comes from a file in the commands that are shown", () => {
    const change = { set: { "syslog-client-key": "PEM", "force-wait": "2m" }, reset: [] };
    expect(withoutSecrets(SETTINGS, change).set).toEqual({ "syslog-client-key": "@FILE", "force-wait": "2m" });
  });
});
