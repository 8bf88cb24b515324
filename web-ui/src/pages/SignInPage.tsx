import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { Link, Navigate, useSearchParams } from "react-router";
import { session } from "../api";
import { TextField } from "../components/Fields";
import { Failure } from "../components/States";
import { useAct } from "../lib/useAct";
import { useVisitor } from "../session";

/** Only a path of this page, never another host's address. */
function destination(then: string | null): string {
  return then && /^\/(?![/\\])/.test(then) ? then : "/models";
}

export function SignInPage() {
  const queries = useQueryClient();
  const visitor = useVisitor();
  const [parameters] = useSearchParams();
  const [user, setUser] = useState("");
  const [password, setPassword] = useState("");
  const signIn = useAct(
    () => session.begin(user.trim(), password),
    (begun) => queries.setQueryData(["session"], begun),
  );
  useEffect(() => {
    document.title = "Sign in · Periapt";
  }, []);
  if (visitor.session) return <Navigate to={destination(parameters.get("then"))} replace />;
  return (
    <main className="door">
      <div className="door__card">
        <p className="brand brand--large">
          <img src="/favicon.svg" alt="" width="40" height="40" />
          <span>Periapt</span>
        </p>
        <h1 className="p-heading--3">Sign in to the controller</h1>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            signIn.run();
          }}
        >
          <TextField label="User" value={user} onChange={setUser} autoComplete="username" required />
          <TextField
            label="Password"
            type="password"
            value={password}
            onChange={setPassword}
            autoComplete="current-password"
            required
          />
          {signIn.error != null && <Failure error={signIn.error} />}
          {visitor.error && signIn.error == null && <Failure error={visitor.error} />}
          <button
            type="submit"
            className="p-button--positive"
            disabled={signIn.busy || !user.trim() || !password}
          >
            {signIn.busy ? "Signing in…" : "Sign in"}
          </button>
        </form>
        <p className="door__help">
          The first password is in the answer of <code>periapt bootstrap</code> and in{" "}
          <code>accounts.yaml</code> of the machine that ran it. With a registration string,{" "}
          <Link to="/register">register</Link> first.
        </p>
      </div>
    </main>
  );
}
