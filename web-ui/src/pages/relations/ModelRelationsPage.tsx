import { useParams } from "react-router";
import { useModel } from "../../live/context";
import { RelationsSection } from "./RelationsSection";

/** Every relation of a model. */
export function ModelRelationsPage() {
  const { model = "" } = useParams();
  const { relations } = useModel(model);
  return <RelationsSection model={model} relations={relations.toSorted((a, b) => a.id - b.id)} />;
}
