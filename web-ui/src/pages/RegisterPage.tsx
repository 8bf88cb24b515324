import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useId, useState } from "react";
import { Link, useNavigate } from "react-router";
import { session } from "../api";
import { TextField } from "../components/Fields";
import { Failure } from "../components/States";
import { linkedRegistration, readRegistration } from "../lib/registration";
import { useAct } from "../lib/useAct";

export function RegisterPage() {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const id = useId();
  // What stands behind # is never sent to anybody.
  const [text, setText] = useState(() => linkedRegistration(location.hash));
  const [password, setPassword] = useState("");
  const [again, setAgain] = useState("");
  const registration = readRegistration(text);
  const register = useAct(
    async () => {
      if (!registration) throw new Error("Invalid registration string");
      await session.register(registration.user, registration.token, password);
      return session.begin(registration.user, password);
    },
    (begun) => {
      queries.setQueryData(["session"], begun);
      void navigate("/models");
    },
  );
  useEffect(() => {
    document.title = "Register · Periapt";
  }, []);
  return (
    <main className="door">
      <div className="door__card">
        <h1 className="p-heading--3">Register</h1>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            register.run();
          }}
        >
          <label htmlFor={id}>Registration string</label>
          <textarea id={id} rows={4} value={text} onChange={(event) => setText(event.target.value)} />
          <p className="p-form-help-text" role="status">
            {registration
              ? `For user ${registration.user} of ${registration.controller || "this controller"}`
              : text
                ? "The registration string is incomplete; copy all of it"
                : "From the person who added you with `periapt add-user`. It works once."}
          </p>
          <TextField
            label="New password"
            type="password"
            value={password}
            onChange={setPassword}
            autoComplete="new-password"
          />
          <TextField
            label="New password again"
            type="password"
            value={again}
            onChange={setAgain}
            autoComplete="new-password"
            error={again && again !== password ? "The two passwords differ" : null}
          />
          {register.error != null && <Failure error={register.error} />}
          <button
            type="submit"
            className="p-button--positive"
            disabled={!registration || !password || password !== again || register.busy}
          >
            Register
          </button>
        </form>
        <p className="door__help">
          <Link to="/sign-in">Sign in</Link> instead, or run{" "}
          <code>periapt register STRING</code>.
        </p>
      </div>
    </main>
  );
}
