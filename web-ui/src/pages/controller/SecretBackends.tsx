import { useQuery } from "@tanstack/react-query";
import { secretBackends } from "../../api";
import * as paths from "../../api/paths";
import { StatusMark } from "../../components/charts";
import { CopyTools } from "../../components/Commands";
import { Failure, Loading } from "../../components/States";
import { Time } from "../../components/Time";

const CLI = "periapt secret-backends";

/** The back ends of secrets, each as it answers now. */
export function SecretBackends() {
  const found = useQuery({ queryKey: ["secret-backends"], queryFn: secretBackends.list, refetchInterval: 30_000 });
  if (found.isPending) return <Loading what="the secret backends" rows={2} />;
  if (found.error) return <Failure error={found.error} cli={CLI} onRetry={() => void found.refetch()} />;
  return (
    <>
      <CopyTools cli={CLI} request={{ path: paths.SECRET_BACKENDS }} />
      <table className="list" aria-label="Secret backends">
        <thead>
          <tr>
            <th scope="col">Backend</th>
            <th scope="col">Type</th>
            <th scope="col">Status</th>
            <th scope="col">Revisions</th>
            <th scope="col">Next token</th>
            <th scope="col">Message</th>
          </tr>
        </thead>
        <tbody>
          {found.data.map((backend) => (
            <tr key={backend.name} data-backend={backend.name}>
              <th scope="row">{backend.name}</th>
              <td data-label="Type">{backend.type}</td>
              <td data-label="Status" className="nowrap">
                <StatusMark status={backend.status} />
              </td>
              <td data-label="Revisions">{backend.secrets}</td>
              <td data-label="Next token" className="nowrap">
                {backend["next-token-rotate"] ? <Time at={backend["next-token-rotate"]} /> : "—"}
              </td>
              <td data-label="Message" className="message">
                {backend.message || "—"}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
