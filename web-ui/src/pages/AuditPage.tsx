import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Fragment, useState } from "react";
import { Link, useParams } from "react-router";
import { audit, models } from "../api";
import { withQuery } from "../api/client";
import * as paths from "../api/paths";
import type { AuditRecord } from "../api/types";
import { timeText, zonedTime } from "../components/charts/time";
import { CopyTools } from "../components/Commands";
import { Filters } from "../components/Filters";
import { PageHead } from "../components/PageHead";
import { Empty, Failure, Loading } from "../components/States";
import { Time } from "../components/Time";
import { TimeRange } from "../components/TimeRange";
import { command } from "../lib/commands";
import { toApplication, toIncidents, toModel, toUnit } from "../lib/to";
import { useFilters } from "../lib/useFilters";
import { useRange } from "../lib/useRange";

const NAMES = ["user", "matching", "result", "kind"] as const;

/** Sign-ins are in a list of their own: they would hide the changes. */
const KINDS: [string, string][] = [
  ["", "Changes"],
  ["sign-in", "Sign-ins"],
  ["call", "Calls of agents"],
  ["change,sign-in,call", "Everything"],
];

/** Every change: who, from where, what, and how it ended. Of the controller, or of one model. */
export function AuditPage() {
  const { model = null } = useParams();
  const [values, set, clear] = useFilters(NAMES);
  const [{ from, to }] = useRange();
  const filter = {
    user: values.user || undefined,
    matching: values.matching || undefined,
    result: values.result || undefined,
    kind: values.kind || "change",
    since: from === null ? undefined : timeText(from),
    until: to === null ? undefined : timeText(to),
  };
  const records = useInfiniteQuery({
    queryKey: ["audit", model, filter],
    queryFn: ({ pageParam }) => audit.page(model, { ...filter, limit: 100, after: pageParam }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next ?? undefined,
    refetchInterval: (query) => ((query.state.data?.pages.length ?? 1) > 1 ? false : 5_000),
  });
  const cli = command(
    "audit",
    model && "-m", model,
    values.user && "--user", values.user,
    values.matching && "--matching", values.matching,
    values.result === "refused" && "--refused",
    values.kind === "sign-in" && "--sign-ins",
    (values.kind === "call" || values.kind.includes(",")) && "--all",
  );
  const path = withQuery(model ? `${paths.model(model)}/audit` : "/v1/audit", filter);
  const tools = <CopyTools cli={cli} request={{ path }} />;
  const all = records.data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <>
      {model === null && <PageHead title="Audit" summary="Changes and file reads, newest first" tools={tools} />}
      <section className="section" aria-label="Audit log">
        <div className="filters-row">
          <Filters
            filters={[
              { name: "kind", label: "Kind", options: KINDS },
              { name: "user", label: "Who" },
              { name: "matching", label: "Action or target" },
              { name: "result", label: "Result", options: [["", "All"], ["ok", "ok"], ["refused", "refused"]] },
            ]}
            values={values}
            onChange={set}
            onClear={clear}
          />
          {model !== null && tools}
        </div>
        <TimeRange />
        {records.isPending && <Loading what="the audit log" rows={8} />}
        {records.error && <Failure error={records.error} cli={cli} onRetry={() => void records.refetch()} />}
        {records.data && all.length === 0 && (
          <Empty title="No matching entries" cli={cli}>
            Changes appear here as they are made, unless <code>auditing-enabled</code> is off.
          </Empty>
        )}
        {all.length > 0 && <Records records={all} named={model === null} />}
        {records.hasNextPage && (
          <button
            type="button"
            className="p-button"
            disabled={records.isFetchingNextPage}
            onClick={() => void records.fetchNextPage()}
          >
            Older entries
          </button>
        )}
      </section>
    </>
  );
}

function refused(result: string): boolean {
  return result !== "ok" && !/^[23]\d\d$/.test(result);
}

/** Where one finds what something was done to; the narrowest of its names comes first, a unit before its application. */
function placeOf(model: string, object: string, [name]: readonly string[]): string | null {
  if (!name || !object.includes(name)) return null;
  if (object.startsWith("incident ")) return toIncidents(model);
  return name.includes("/") ? toUnit(model, name) : toApplication(model, name);
}

/** What was done, with a way to what it was done to; what has no words is told as it was called. */
function What({ record: { verb, object, about, model, what, target } }: { record: AuditRecord }) {
  if (!verb) return <span className="mono">{`${what} ${target}`}</span>;
  const place = model ? placeOf(model, object, about) : null;
  return (
    <>
      {verb} {place ? <Link to={place}>{object}</Link> : object}
    </>
  );
}

/** How it ended: `200`, `refused (409)`, `failed (503)`. */
function outcome(result: string): string {
  if (!refused(result) || result === "interrupted") return result;
  return `${/^5\d\d$/.test(result) ? "failed" : "refused"} (${result})`;
}

/** The name of a record's model; of one that is gone its UUID is all that is known. */
function ModelOf({ uuid, names }: { uuid: string | null | undefined; names: ReadonlyMap<string, string> }) {
  if (!uuid) return <>—</>;
  const name = names.get(uuid);
  return name ? <Link to={toModel(name)}>{name}</Link> : <span className="mono">{uuid.slice(0, 8)}…</span>;
}

/** The records; `named` is set where they are of several models. */
function Records({ records, named }: { records: AuditRecord[]; named: boolean }) {
  const [open, setOpen] = useState<number | null>(null);
  const list = useQuery({ queryKey: ["models"], queryFn: () => models.list(), enabled: named });
  const names = new Map(list.data?.map(({ uuid, name }) => [uuid, name]));
  return (
    <table className="list" aria-label="Audit log">
      <thead>
        <tr>
          <th scope="col">When</th>
          <th scope="col">Who</th>
          <th scope="col">What</th>
          {named && <th scope="col">Model</th>}
          <th scope="col">From</th>
          <th scope="col">Result</th>
        </tr>
      </thead>
      <tbody>
        {records.map((record) => (
          <Fragment key={record.id}>
            <tr>
              <th scope="row" className="nowrap">
                <button
                  type="button"
                  className="p-button--link"
                  aria-expanded={open === record.id}
                  onClick={() => setOpen(open === record.id ? null : record.id)}
                >
                  <Time at={record.time} />
                </button>
              </th>
              <td data-label="Who">{record.who.replace(/^user-/, "")}</td>
              <td data-label="What" className="message">
                <What record={record} />
              </td>
              {named && (
                <td data-label="Model">
                  <ModelOf uuid={record.model} names={names} />
                </td>
              )}
              <td data-label="From" className="mono">
                {record.from}
              </td>
              <td data-label="Result">
                <span className={refused(record.result) ? "result is-refused" : "result is-ok"}>{outcome(record.result)}</span>
              </td>
            </tr>
            {open === record.id && (
              <tr className="detail">
                <td colSpan={named ? 6 : 5}>
                  <p>{zonedTime(record.time)}</p>
                  <p className="mono">
                    {record.what} {record.target}
                  </p>
                  <pre tabIndex={0}>
                    {record.arguments == null || record.arguments === ""
                      ? "Arguments are not recorded (audit-log-capture-args is off)."
                      : JSON.stringify(record.arguments, null, 2)}
                  </pre>
                </td>
              </tr>
            )}
          </Fragment>
        ))}
      </tbody>
    </table>
  );
}
