import { useParams } from "react-router";
import { useAllowed } from "../../session";
import { GrantsSection } from "../grants/GrantsSection";

/** What the application may do beyond what every charm may. */
export function ApplicationGrantsPage() {
  const { model = "", application = "" } = useParams();
  const mayAdmin = useAllowed(model, "admin");
  return <GrantsSection model={model} application={application} mayAdmin={mayAdmin} />;
}
