import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { Link, Navigate, useSearchParams } from "react-router";
import { session } from "../api";
import { ApiError } from "../api/client";
import { TextField } from "../components/Fields";
import { Logo } from "../components/Logo";
import { Prose } from "../components/Prose";
import { refusalOf } from "../lib/signIn";
import { useAct } from "../lib/useAct";
import { useCountdown } from "../lib/useCountdown";
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
          <Logo size={40} />
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
          <Refused error={signIn.error ?? visitor.error} />
          <button
            type="submit"
            className="p-button--positive"
            disabled={signIn.busy || !user.trim() || !password}
          >
            {signIn.busy ? "Signing in…" : "Sign in"}
          </button>
        </form>
        <p className="door__help">
          Where the controller was bootstrapped, <code>periapt dashboard</code> prints this address
          with the user and the password. If somebody gave you a registration string,{" "}
          <Link to="/register">register</Link> first.
        </p>
      </div>
    </main>
  );
}

function Refused({ error }: { error: unknown }) {
  const wait = error instanceof ApiError ? (error.problem["retry-after"] ?? undefined) : undefined;
  const left = useCountdown(error, wait);
  if (error == null) return null;
  const { title, text } = refusalOf(error, left);
  return (
    <div className="p-notification--negative" role="alert">
      <div className="p-notification__content">
        <h2 className="p-notification__title">{title}</h2>
        <p className="p-notification__message">
          <Prose text={text} />
        </p>
      </div>
    </div>
  );
}
