/** Who is signed in, and what they may do. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext, useEffect } from "react";
import { session } from "./api";
import { ApiError, setCsrf, whenSignedOut } from "./api/client";
import type { ModelPermission, Session, WhoAmI } from "./api/types";

interface Visitor {
  /** Undefined while it is asked for, null when nobody is signed in. */
  session: Session | null | undefined;
  whoami: WhoAmI | undefined;
  /** Whether it was asked what the visitor may do, with whatever answer. */
  asked: boolean;
  error: Error | null;
}

const VisitorContext = createContext<Visitor>({
  session: undefined,
  whoami: undefined,
  asked: false,
  error: null,
});

async function present(): Promise<Session | null> {
  try {
    return await session.current();
  } catch (error) {
    if (error instanceof ApiError && (error.status === 401 || error.code === "session-not-found")) {
      return null;
    }
    throw error;
  }
}

export function SessionProvider({ children }: { children: ReactNode }) {
  const queries = useQueryClient();
  const current = useQuery({ queryKey: ["session"], queryFn: present, staleTime: Infinity, retry: 3 });
  const signedIn = Boolean(current.data);
  setCsrf(current.data?.csrf ?? "");
  useEffect(() => {
    whenSignedOut(() => queries.setQueryData(["session"], null));
  }, [queries]);
  const whoami = useQuery({
    queryKey: ["whoami", current.data?.user],
    queryFn: session.whoami,
    enabled: signedIn,
    staleTime: 60_000,
  });
  return (
    <VisitorContext
      value={{ session: current.data, whoami: whoami.data, asked: !whoami.isPending, error: current.error }}
    >
      {children}
    </VisitorContext>
  );
}

export function useVisitor(): Visitor {
  return useContext(VisitorContext);
}

const ORDER: ModelPermission[] = ["read", "write", "admin"];

/** Whether the visitor may do what needs `wanted` in the model. */
export function allows(
  whoami: WhoAmI | undefined,
  model: string,
  wanted: ModelPermission,
): boolean {
  // Until it is known, nothing is hidden: the controller decides anyway.
  if (!whoami || whoami.access === "superuser") return true;
  const own = whoami.models.find(({ name, uuid }) => name === model || uuid === model);
  return own !== undefined && ORDER.indexOf(own.access) >= ORDER.indexOf(wanted);
}

export function useAllowed(model: string, wanted: ModelPermission): boolean {
  return allows(useVisitor().whoami, model, wanted);
}

export function useSuperuser(): boolean {
  const { whoami } = useVisitor();
  return !whoami || whoami.access === "superuser";
}
