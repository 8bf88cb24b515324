import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { users } from "../../api";
import * as paths from "../../api/paths";
import { Clamped } from "../../components/Clamped";
import { CommandHint } from "../../components/Commands";
import { CopyButton } from "../../components/CopyButton";
import { SelectField, TextField } from "../../components/Fields";
import { Empty, Failure, Loading } from "../../components/States";
import { Time } from "../../components/Time";
import { command } from "../../lib/commands";
import { useAct } from "../../lib/useAct";
import { useVisitor } from "../../session";

const LIVES: [string, string][] = [
  ["3600", "an hour"],
  ["86400", "a day"],
  ["2592000", "30 days"],
  ["31536000", "a year"],
];

/** The same on the command line, but for the life that a token has unless another is asked for. */
const EXPIRES: Record<string, string> = { "3600": "1h", "86400": "1d", "31536000": "365d" };

/** What a user signs in with besides the password: add one, see them, end them. */
export function Tokens({ user }: { user: string }) {
  const queries = useQueryClient();
  const own = useVisitor().session?.user === user;
  const queryKey = ["tokens", user];
  const tokens = useQuery({ queryKey, queryFn: () => users.tokens(user) });
  const changed = (): void => void queries.invalidateQueries({ queryKey });
  const [name, setName] = useState("");
  const [life, setLife] = useState("2592000");
  const [secret, setSecret] = useState<string | null>(null);
  const add = useAct(
    () => users.addToken(user, { name, "expires-in": Number(life) }),
    (added) => {
      setSecret(added.token);
      setName("");
      changed();
    },
  );
  const revoke = useAct((id: string) => users.revokeToken(user, id), changed);
  return (
    <>
      {tokens.isPending && <Loading what="the tokens" rows={2} />}
      {tokens.error && (
        <Failure error={tokens.error} cli={command("tokens", !own && user)} onRetry={() => void tokens.refetch()} />
      )}
      {tokens.data?.length === 0 && <Empty title="No tokens and no sessions" />}
      {tokens.data && tokens.data.length > 0 && (
        <table className="list" aria-label="Tokens">
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Kind</th>
              <th scope="col">Added</th>
              <th scope="col">Expires</th>
              <th scope="col">Last used</th>
              <th scope="col">Used from</th>
              <th scope="col">Actions</th>
            </tr>
          </thead>
          <tbody>
            {tokens.data.map((token) => (
              <tr key={token.id}>
                <th scope="row">
                  {token.name || token.id}
                  {token.current && <span className="muted"> (this one)</span>}
                </th>
                <td data-label="Kind">{token.kind}</td>
                <td data-label="Added" className="nowrap">
                  <Time at={token["created-at"]} />
                </td>
                <td data-label="Expires" className="nowrap">
                  <Time at={token["expires-at"]} />
                </td>
                <td data-label="Last used" className="nowrap">
                  <Time at={token["last-used"]} />
                </td>
                <td data-label="Used from" className="message">
                  <Clamped text={[token.address, token.program].filter(Boolean).join(", ")} />
                </td>
                <td data-label="Actions">
                  <button
                    type="button"
                    className="p-button is-small"
                    disabled={revoke.busy}
                    onClick={() => revoke.run(token.id)}
                  >
                    Revoke<span className="u-off-screen"> {token.name || token.id}</span>
                  </button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {revoke.error != null && <Failure error={revoke.error} />}
      {secret && (
        <div className="p-notification--positive" role="status">
          <div className="p-notification__content">
            <h5 className="p-notification__title">This token is shown only once</h5>
            <p className="p-notification__message">
              <code className="digest">{secret}</code> <CopyButton text={secret} label="Copy token" />
            </p>
          </div>
        </div>
      )}
      <form
        className="inline-form"
        aria-label="Add a token"
        onSubmit={(event) => {
          event.preventDefault();
          add.run();
        }}
      >
        <div className="inline-form__row">
          <TextField label="Name of a new token" value={name} onChange={setName} />
          <SelectField label="Valid for" value={life} options={LIVES} onChange={setLife} />
          <button type="submit" className="p-button" disabled={!name || add.busy}>
            Add token
          </button>
        </div>
        {add.error != null && <Failure error={add.error} />}
        {/* On the command line everybody adds tokens of their own. */}
        {own && (
          <CommandHint
            cli={command("add-token", name || "NAME", ...(EXPIRES[life] ? ["--expires-in", EXPIRES[life]] : []))}
            request={{
              method: "POST",
              path: `${paths.user(user)}/tokens`,
              body: { name: name || "NAME", "expires-in": Number(life) },
            }}
          />
        )}
      </form>
    </>
  );
}
