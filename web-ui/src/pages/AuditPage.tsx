import { useInfiniteQuery } from "@tanstack/react-query";
import { Fragment, useState } from "react";
import { useParams } from "react-router";
import { audit } from "../api";
import { withQuery } from "../api/client";
import * as paths from "../api/paths";
import type { AuditRecord } from "../api/types";
import { exactTime } from "../components/charts/time";
import { CopyTools } from "../components/Commands";
import { Filters } from "../components/Filters";
import { PageHead } from "../components/PageHead";
import { Empty, Failure, Loading } from "../components/States";
import { Time } from "../components/Time";
import { command } from "../lib/commands";
import { useFilters } from "../lib/useFilters";

const NAMES = ["user", "matching", "result"] as const;

/** Every change: who, from where, what, and how it ended. Of the controller, or of one model. */
export function AuditPage() {
  const { model = null } = useParams();
  const [values, set, clear] = useFilters(NAMES);
  const filter = {
    user: values.user || undefined,
    matching: values.matching || undefined,
    result: values.result || undefined,
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
  );
  const path = withQuery(model ? `${paths.model(model)}/audit` : "/v1/audit", filter);
  const tools = <CopyTools cli={cli} request={{ path }} />;
  const all = records.data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <>
      {model === null && <PageHead title="Audit" summary="Every change, newest first" tools={tools} />}
      <section className="section" aria-label="Audit log">
        <div className="filters-row">
          <Filters
            filters={[
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
        {records.isPending && <Loading what="the audit log" rows={8} />}
        {records.error && <Failure error={records.error} cli={cli} onRetry={() => void records.refetch()} />}
        {records.data && all.length === 0 && (
          <Empty title="No matching entries" cli={cli}>
            Changes appear here as they are made, unless <code>auditing-enabled</code> is off.
          </Empty>
        )}
        {all.length > 0 && <Records records={all} />}
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

function Records({ records }: { records: AuditRecord[] }) {
  const [open, setOpen] = useState<number | null>(null);
  return (
    <table className="list" aria-label="Audit log">
      <thead>
        <tr>
          <th scope="col">When</th>
          <th scope="col">Who</th>
          <th scope="col">From</th>
          <th scope="col">What</th>
          <th scope="col">On</th>
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
              <td data-label="From" className="mono">
                {record.from}
              </td>
              <td data-label="What" className="message mono">
                {record.what}
              </td>
              <td data-label="On" className="message mono">
                {record.target}
              </td>
              <td data-label="Result">
                <span className={refused(record.result) ? "result is-refused" : "result is-ok"}>{record.result}</span>
              </td>
            </tr>
            {open === record.id && (
              <tr className="detail">
                <td colSpan={6}>
                  <p>{exactTime(record.time)}</p>
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
