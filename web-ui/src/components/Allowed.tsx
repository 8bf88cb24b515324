/**
 * Pages that are not for everybody. Who may not see one is told so at once, and nothing is asked
 * for in vain. The controller decides all the same: this is what it would say, only readable.
 */
import type { ReactNode } from "react";
import { useParams } from "react-router";
import type { ModelPermission } from "../api/types";
import { toModel } from "../lib/to";
import { useAllowed, useSuperuser, useVisitor } from "../session";
import { PageHead } from "./PageHead";
import { Empty, Loading } from "./States";

export function SuperusersOnly({ title, children }: { title: string; children: ReactNode }) {
  const may = useSuperuser();
  if (!useVisitor().asked) return <Loading what="your access" />;
  if (may) return children;
  return (
    <>
      <PageHead title={title} />
      <NoAccess who="Superusers of this controller" />
    </>
  );
}

/** For a page of a model; below its head, or with a title of its own. */
export function ModelUsersOnly({ who, title, children }: { who: ModelPermission; title?: string; children: ReactNode }) {
  const { model = "" } = useParams();
  const may = useAllowed(model, who);
  if (!useVisitor().asked) return <Loading what="your access" />;
  if (may) return children;
  return (
    <>
      {title && <PageHead title={title} crumbs={[{ to: toModel(model), label: model }]} />}
      <NoAccess who={`Users with ${who} access to ${model}`} />
    </>
  );
}

function NoAccess({ who }: { who: string }) {
  return (
    <Empty title="You do not have access to this page" cli="periapt whoami">
      {who} can see it. Ask one of them for more access.
    </Empty>
  );
}
