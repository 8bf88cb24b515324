import { Link, useParams } from "react-router";
import { Name } from "../../components/charts";
import { hookName } from "../../components/charts/hooks/names";
import { Clamped } from "../../components/Clamped";
import { Items } from "../../components/Items";
import { Empty, Failure, Loading } from "../../components/States";
import { natural } from "../../lib/attention";
import { bytes } from "../../lib/bytes";
import { command } from "../../lib/commands";
import { toApplication, toCharm, toDeploy } from "../../lib/to";
import { useCharms } from "../../lib/useCharms";
import { useModel } from "../../live/context";

export function CharmsPage() {
  const { model = "" } = useParams();
  const { applications } = useModel(model);
  const { charms, pending, error, retry } = useCharms(model);
  const cli = command("deploy", "-m", model, "./FILE.charm");
  if (pending) return <Loading what="the charms" />;
  if (error) return <Failure error={error} cli={cli} onRetry={retry} />;
  if (charms.length === 0) {
    return (
      <Empty
        title="No charms have been uploaded to this model"
        cli={cli}
        action={
          <Link className="p-button--positive" to={toDeploy(model)}>
            Deploy a charm
          </Link>
        }
      >
        A charm is uploaded when it is deployed. <code>periapt charm init</code> creates a new one.
      </Empty>
    );
  }
  return (
    <table className="list" aria-label="Charms">
      <thead>
        <tr>
          <th scope="col">Charm</th>
          <th scope="col">Summary</th>
          <th scope="col">Hooks</th>
          <th scope="col" className="number">
            Size
          </th>
          <th scope="col">Used by</th>
        </tr>
      </thead>
      <tbody>
        {charms
          .toSorted((a, b) => natural(a.name, b.name) || b.revision - a.revision)
          .map((charm) => {
            const users = applications.filter((each) => each.charm === charm.url);
            return (
              <tr key={charm.url}>
                <th scope="row">
                  <Link to={toCharm(model, charm.url)}>
                    <Name text={charm.url} before="-" />
                  </Link>
                </th>
                <td data-label="Summary" className="message">
                  <Clamped text={charm.metadata.summary} />
                </td>
                <td data-label="Hooks">{charm.hooks.filter((hook) => hookName(hook) === hook).length}</td>
                <td data-label="Size" className="number nowrap">
                  {bytes(charm.size)}
                </td>
                <td data-label="Used by">
                  <Items
                    of={users.map(({ name }) => ({ key: name, shown: <Link to={toApplication(model, name)}><Name text={name} /></Link> }))}
                  />
                </td>
              </tr>
            );
          })}
      </tbody>
    </table>
  );
}
