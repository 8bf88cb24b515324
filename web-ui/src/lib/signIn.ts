/** Why somebody was not let in, for who stands at the door: the codes of the API in plain words. */
import { ApiError } from "../api/client";
import { sentence } from "./sentence";

export interface Refusal {
  title: string;
  text: string;
}

/** `left`: seconds to wait, counted down by the page. */
export function refusalOf(error: unknown, left: number | null): Refusal {
  if (!(error instanceof ApiError)) {
    return { title: "Sign-in failed", text: sentence(error instanceof Error ? error.message : String(error)) };
  }
  const { code, title, detail, advice } = error.problem;
  switch (code) {
    case "credentials-invalid":
      return {
        title: "Wrong user name or password",
        text: "Check both and try again. Passwords are case-sensitive.",
      };
    case "account-disabled":
      return {
        title: "This account is disabled",
        text: "A superuser of the controller can enable it: `periapt enable-user USER`.",
      };
    case "logins-throttled":
      return {
        title: "Too many failed attempts",
        text: left ? `Wait ${left} s, then try again.` : "You can try again now.",
      };
    default:
      return { title, text: [detail ?? "", advice ?? ""].map(sentence).filter(Boolean).join(" ") };
  }
}
