import { useParams } from "react-router";
import { ResourcesSection } from "../resources/ResourcesSection";

export function ApplicationResourcesPage() {
  const { model = "", application = "" } = useParams();
  return <ResourcesSection model={model} application={application} />;
}
