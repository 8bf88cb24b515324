import { useQueryClient } from "@tanstack/react-query";
import { session as sessionApi } from "../../api";
import { CopyTools } from "../../components/Commands";
import { Facts } from "../../components/Fields";
import { ModelLinks } from "../../components/ModelLinks";
import { PageHead } from "../../components/PageHead";
import { Failure, Loading } from "../../components/States";
import { Time } from "../../components/Time";
import { useAct } from "../../lib/useAct";
import { useVisitor } from "../../session";
import { PasswordForm } from "./PasswordForm";
import { Tokens } from "./Tokens";

export function AccountPage() {
  const queries = useQueryClient();
  const { session, whoami } = useVisitor();
  const signOut = useAct(sessionApi.end, () => {
    queries.clear();
    queries.setQueryData(["session"], null);
  });
  const user = session?.user ?? "";
  return (
    <>
      <PageHead
        title="Account"
        summary={user}
        tools={<CopyTools cli="periapt whoami" request={{ path: "/v1/whoami" }} />}
        actions={
          <button type="button" className="p-button" disabled={signOut.busy} onClick={() => signOut.run()}>
            Sign out
          </button>
        }
      />
      {signOut.error != null && <Failure error={signOut.error} cli="periapt logout" />}
      {whoami ? (
        <Facts
          wide={["Models"]}
          rows={[
            ["User", whoami.user],
            ...(whoami["display-name"] ? [["Name", whoami["display-name"]] as [string, string]] : []),
            ["Controller", whoami.controller],
            ["Access", whoami.access],
            ["Session", <span key="until">expires <Time at={session?.["expires-at"]} /></span>],
            [
              "Models",
              <ModelLinks key="models" models={whoami.models} />,
            ],
          ]}
        />
      ) : (
        <Loading what="the account" />
      )}
      <section className="section" aria-label="Tokens and sessions">
        <h2 className="section__title">Tokens and sessions</h2>
        <Tokens user={user} />
      </section>
      <section className="section" aria-label="Password">
        <h2 className="section__title">Password</h2>
        <PasswordForm user={user} askCurrent />
      </section>
    </>
  );
}
