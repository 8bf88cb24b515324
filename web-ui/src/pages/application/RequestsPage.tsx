import { useParams } from "react-router";
import { Requests } from "../../components/Requests";

export function ApplicationRequestsPage() {
  const { model = "", application = "" } = useParams();
  return <Requests model={model} application={application} />;
}
