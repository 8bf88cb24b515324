import { useParams } from "react-router";
import { Empty } from "../../components/States";
import { UnitTable } from "../../components/UnitTable";
import { command } from "../../lib/commands";
import { useModel } from "../../live/context";

export function ApplicationUnitsPage() {
  const { model = "", application = "" } = useParams();
  const { units: all, applications } = useModel(model);
  const units = all.filter(
    (unit) => unit.application === application || unit.principal?.startsWith(`${application}/`),
  );
  if (units.length === 0 && applications.find(({ name }) => name === application)?.subordinate) {
    return (
      <Empty title="No units" cli={command("integrate", "-m", model, application, "PRINCIPAL")}>
        A subordinate's units are created beside the units of the applications it is integrated with.
      </Empty>
    );
  }
  if (units.length === 0) {
    return (
      <Empty title="No units" cli={command("add-unit", "-m", model, application)}>
        The application is deployed but has no units. Scale it up to run it.
      </Empty>
    );
  }
  return <UnitTable model={model} units={units} caption={`Units of ${application}`} />;
}
