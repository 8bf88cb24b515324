import { type ReactNode, Suspense } from "react";
import { Loading } from "./States";

/** What comes in a file of its own: while it is fetched, what is being loaded is said in its place. */
export function Later({ what, page }: { what: string; page: ReactNode }) {
  return <Suspense fallback={<Loading what={what} rows={8} />}>{page}</Suspense>;
}
