/** Nodes of an engine as the drawing takes them. */
import type { EngineView, NodeView } from "../api/types";
import type { EngineNode, EngineNodeState } from "../components/charts/types";

export function nodeState(node: NodeView): EngineNodeState {
  if (node.state === "uninstalled") return "uninstalled";
  if (node.state === "started" || node.state === "stopping") return node.state;
  if (node.error && !node["waits-for"]) return "error";
  if (node["waits-for"]) return "resting";
  return node.state === "starting" ? "starting" : "stopped";
}

export function engineNodes(engine: EngineView): EngineNode[] {
  return engine.nodes.map((node) => ({
    name: node.name,
    state: nodeState(node),
    inputs: node.inputs,
    "start-count": node["start-count"],
    "started-at": node["started-at"] ?? undefined,
    error: node.error ?? undefined,
    "waits-for": node["waits-for"] ?? undefined,
  }));
}
