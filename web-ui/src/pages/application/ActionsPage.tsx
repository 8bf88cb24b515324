import { useParams } from "react-router";
import { ActionsSection } from "../actions/ActionsSection";

export function ApplicationActionsPage() {
  const { model = "", application = "" } = useParams();
  return <ActionsSection model={model} application={application} />;
}
