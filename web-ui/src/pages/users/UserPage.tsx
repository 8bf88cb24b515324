import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useNavigate, useParams } from "react-router";
import { users } from "../../api";
import * as paths from "../../api/paths";
import type { UserInfo } from "../../api/types";
import { CommandHint, CopyTools } from "../../components/Commands";
import { ConfirmByName } from "../../components/ConfirmByName";
import { Facts } from "../../components/Fields";
import { ModelLinks } from "../../components/ModelLinks";
import { PageHead } from "../../components/PageHead";
import { Failure, Loading } from "../../components/States";
import { Time } from "../../components/Time";
import { command } from "../../lib/commands";
import { useAct } from "../../lib/useAct";
import { useVisitor } from "../../session";
import { PasswordForm } from "../account/PasswordForm";
import { Tokens } from "../account/Tokens";
import { DisableDialog, SuperuserDialog } from "./AccountDialogs";

export function UserPage() {
  const { user: name = "" } = useParams();
  const user = useQuery({ queryKey: ["users", name], queryFn: () => users.show(name) });
  return (
    <>
      <PageHead
        title={name}
        crumbs={[{ to: "/users", label: "Users" }]}
        summary={user.data?.["display-name"]}
        aside={user.data?.disabled && <span className="tag">disabled</span>}
        tools={
          <CopyTools cli={command("show-user", name)} request={{ path: paths.user(name) }} />
        }
      />
      {user.isPending && <Loading what={`user ${name}`} />}
      {user.error && (
        <Failure error={user.error} cli="periapt users" onRetry={() => void user.refetch()} />
      )}
      {user.data && <Details user={user.data} />}
    </>
  );
}

function Details({ user }: { user: UserInfo }) {
  const { name } = user;
  const queries = useQueryClient();
  const { session } = useVisitor();
  const own = session?.user === name;
  const [asked, setAsked] = useState<"disable" | "superuser" | "remove" | null>(null);
  const changed = (): void => void queries.invalidateQueries({ queryKey: ["users"] });
  const enable = useAct(() => users.change(name, { disabled: false }), changed);
  const superuser = user.access === "superuser";
  const close = (): void => setAsked(null);
  return (
    <>
      <Facts
        wide={["Models"]}
        rows={[
          ["Access to the controller", user.access],
          ["State", user.disabled ? "disabled" : user.registered ? "enabled" : "invited, not registered yet"],
          [
            "Added",
            <span key="added">
              <Time at={user["created-at"]} />
              {user["created-by"] && ` by ${user["created-by"]}`}
            </span>,
          ],
          ["Last login", <Time key="login" at={user["last-login"]} />],
          [
            "Models",
            user.models.length === 0
              ? superuser ? "all, as superuser" : "none"
              : <ModelLinks key="models" models={user.models} />,
          ],
        ]}
      />
      {!own && (
        <section className="section" aria-label="Change">
          <h2 className="section__title">Change</h2>
          <div className="actions">
            {user.disabled ? (
              <button type="button" className="p-button" disabled={enable.busy} onClick={() => enable.run()}>
                Enable
              </button>
            ) : (
              <button type="button" className="p-button" onClick={() => setAsked("disable")}>
                Disable
              </button>
            )}
            <button type="button" className="p-button" onClick={() => setAsked("superuser")}>
              {superuser ? "Revoke superuser" : "Grant superuser"}
            </button>
            <button type="button" className="p-button is-danger" onClick={() => setAsked("remove")}>
              Remove
            </button>
          </div>
          {enable.error != null && <Failure error={enable.error} />}
          {user.disabled && <CommandHint cli={command("enable-user", name)} />}
        </section>
      )}
      <section className="section" aria-label="Tokens and sessions">
        <h2 className="section__title">Tokens and sessions</h2>
        <Tokens user={name} />
      </section>
      <section className="section" aria-label="Password">
        <h2 className="section__title">Password</h2>
        <PasswordForm user={name} askCurrent={own} />
      </section>
      {asked === "disable" && <DisableDialog name={name} onClose={close} onDone={changed} />}
      {asked === "superuser" && (
        <SuperuserDialog name={name} grant={!superuser} onClose={close} onDone={changed} />
      )}
      {asked === "remove" && <RemoveUser name={name} onClose={close} />}
    </>
  );
}

function RemoveUser({ name, onClose }: { name: string; onClose: () => void }) {
  const navigate = useNavigate();
  const remove = useAct(
    () => users.remove(name),
    () => void navigate("/users"),
  );
  return (
    <ConfirmByName
      title={`Remove ${name}`}
      name={name}
      submit="Remove user"
      busy={remove.busy}
      error={remove.error}
      onConfirm={() => remove.run()}
      onClose={onClose}
    >
      <p>All sessions and tokens of {name} end at once. What {name} owns is kept.</p>
      <CommandHint
        cli={command("remove-user", name, "--no-prompt")}
        request={{ method: "DELETE", path: paths.user(name) }}
      />
    </ConfirmByName>
  );
}
