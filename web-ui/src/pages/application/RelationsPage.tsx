import { useParams } from "react-router";
import { relationsOf } from "../../lib/relations";
import { useModel } from "../../live/context";
import { RelationsSection } from "../relations/RelationsSection";

/** The relations of one application. */
export function ApplicationRelationsPage() {
  const { model = "", application = "" } = useParams();
  const own = relationsOf(useModel(model).relations, application);
  return <RelationsSection model={model} relations={own} from={application} />;
}
