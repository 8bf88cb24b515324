import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";
import { users } from "../../api";
import { CopyTools } from "../../components/Commands";
import { PageHead } from "../../components/PageHead";
import { Empty, Failure, Loading } from "../../components/States";
import { Time } from "../../components/Time";
import { toUser } from "../../lib/to";
import { AddUserDialog } from "./AddUserDialog";

export function UsersPage() {
  const queries = useQueryClient();
  const [adding, setAdding] = useState(false);
  const list = useQuery({ queryKey: ["users"], queryFn: users.list });
  return (
    <>
      <PageHead
        title="Users"
        summary="Who may sign in, and what they may do"
        tools={<CopyTools cli="periapt users" request={{ path: "/v1/users" }} />}
        actions={
          <button type="button" className="p-button--positive" onClick={() => setAdding(true)}>
            Add user
          </button>
        }
      />
      {list.isPending && <Loading what="the users" />}
      {list.error && <Failure error={list.error} cli="periapt users" onRetry={() => void list.refetch()} />}
      {list.data?.length === 0 && <Empty title="No users" cli="periapt add-user NAME" />}
      {list.data && list.data.length > 0 && (
        <table className="list" aria-label="Users">
          <thead>
            <tr>
              <th scope="col">User</th>
              <th scope="col">Name</th>
              <th scope="col">Controller</th>
              <th scope="col">Models</th>
              <th scope="col">State</th>
              <th scope="col">Last login</th>
            </tr>
          </thead>
          <tbody>
            {list.data.map((user) => (
              <tr key={user.name}>
                <th scope="row">
                  <Link to={toUser(user.name)}>{user.name}</Link>
                </th>
                {/* Where rows are cards, a name that nobody gave is no line of them. */}
                <td data-label={user["display-name"] ? "Name" : undefined}>{user["display-name"]}</td>
                <td data-label="Controller">{user.access}</td>
                <td data-label="Models" className="message">
                  {user.models.map(({ name, access }) => `${name} (${access})`).join(", ") || "—"}
                </td>
                <td data-label="State">
                  {user.disabled ? "disabled" : user.registered ? "enabled" : "invited"}
                </td>
                <td data-label="Last login" className="nowrap">
                  <Time at={user["last-login"]} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {adding && (
        <AddUserDialog
          onClose={() => {
            setAdding(false);
            void queries.invalidateQueries({ queryKey: ["users"] });
          }}
        />
      )}
    </>
  );
}
