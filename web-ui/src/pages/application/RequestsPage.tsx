import { useParams } from "react-router";
import { Requests } from "../../components/Requests";
import { command } from "../../lib/commands";
import { useModel } from "../../live/context";

export function ApplicationRequestsPage() {
  const { model = "", application = "" } = useParams();
  const exposed = useModel(model).applications.find(({ name }) => name === application)?.exposed;
  const cli = exposed
    ? command("services", "-m", model, application)
    : command("expose", "-m", model, application);
  return <Requests model={model} application={application} cli={cli} />;
}
