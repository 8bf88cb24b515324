import type { ReactNode } from "react";
import { Link } from "react-router";
import { useHealth, useModel, useReady } from "../live/context";
import { PageHead } from "./PageHead";
import { Empty } from "./States";

/** The pages of a model, or that there is none of this name for this visitor. */
export function ModelGate({ model: name, children }: { model: string; children: ReactNode }) {
  const { health, retry } = useHealth();
  const ready = useReady();
  const { model } = useModel(name);
  if (health.state !== "missing" && (!ready || model)) return children;
  return (
    <>
      <PageHead title={name} crumbs={[{ to: "/models", label: "Models" }]} />
      <Empty
        title={`There is no model ${name} that you can see`}
        cli="periapt models"
        action={
          <button type="button" className="p-button" onClick={retry}>
            Try again
          </button>
        }
      >
        It was destroyed, has another name, or is not shared with you. Go back to the{" "}
        <Link to="/models">models</Link>.
      </Empty>
    </>
  );
}
