import type { ReactNode } from "react";
import { Link, useParams } from "react-router";
import * as paths from "../../api/paths";
import type { CharmEndpoint, CharmInfo } from "../../api/types";
import { hookName } from "../../components/charts/hooks/names";
import { unwrapped } from "../../components/charts/unwrapped";
import { CommandHint, CopyTools } from "../../components/Commands";
import { Facts } from "../../components/Fields";
import { Items } from "../../components/Items";
import { PageHead } from "../../components/PageHead";
import { Empty, Failure, Loading } from "../../components/States";
import { bytes } from "../../lib/bytes";
import { command } from "../../lib/commands";
import { toApplication, toDeploy, toModel } from "../../lib/to";
import { useCharms } from "../../lib/useCharms";
import { useModel, useReady } from "../../live/context";
import { useAllowed } from "../../session";
import { Limits } from "./Limits";
import { Readme } from "./Readme";
import { Touches } from "./Touches";

export function CharmPage() {
  const { model = "", charm: url = "" } = useParams();
  const ready = useReady();
  const { charms, pending, error, retry } = useCharms(model);
  const charm = charms.find((each) => each.url === url);
  const mayWrite = useAllowed(model, "write");
  const cli = command("charm", "inspect", "./FILE.charm");
  return (
    <>
      <PageHead
        title={url}
        crumbs={[
          { to: "/models", label: "Models" },
          { to: toModel(model), label: model },
          { to: `${toModel(model)}/charms`, label: "Charms" },
        ]}
        summary={charm?.metadata.summary}
        tools={<CopyTools cli={cli} request={{ path: paths.charm(model, url) }} />}
        actions={
          charm &&
          mayWrite && (
            <Link className="p-button--positive" to={`${toDeploy(model)}?charm=${encodeURIComponent(url)}`}>
              Deploy
            </Link>
          )
        }
      />
      {!charm && (pending || !ready) && <Loading what="the charm" />}
      {error && <Failure error={error} cli={cli} onRetry={retry} />}
      {!charm && !pending && ready && !error && (
        <Empty title={`There is no charm ${url} in ${model}`} cli={command("deploy", "-m", model, "./FILE.charm")}>
          Charms that nothing uses are removed after a while. Deploy it to upload it again.
        </Empty>
      )}
      {charm && <Details model={model} charm={charm} />}
    </>
  );
}

function Details({ model, charm }: { model: string; charm: CharmInfo }) {
  const { applications } = useModel(model);
  const users = applications.filter((each) => each.charm === charm.url);
  const { metadata } = charm;
  const options = Object.entries(charm.config.options);
  return (
    <>
      <Facts
        wide={["Digest", "Used by"]}
        rows={[
          ["Name", charm.name],
          ["Revision", String(charm.revision)],
          ["Archive", bytes(charm.size)],
          ["Subordinate", charm.subordinate ? "yes" : "no"],
          ["Digest", <code key="digest" className="digest">{charm.sha256}</code>],
          [
            "Used by", users.length === 0 ? "nothing"
              : <Items key="users" of={users.map(({ name }) => ({ key: name, shown: <Link to={toApplication(model, name)}>{name}</Link> }))} />,
          ],
        ]}
      />
      {metadata.description && <p className="prose">{unwrapped(metadata.description)}</p>}
      <Section title={charm.hooks.some((hook) => hookName(hook) !== hook) ? "Hooks, actions and commands it implements" : "Hooks it implements"}>
        {charm.hooks.length === 0 ? (
          <p className="muted">None: every hook succeeds at once.</p>
        ) : (
          <ul className="chips">
            {charm.hooks.map((hook) => (
              <li key={hook}>{hookName(hook)}</li>
            ))}
          </ul>
        )}
      </Section>
      <Section title="What it may touch">
        <Touches charm={charm} />
      </Section>
      <Section title="Limits of one hook">
        <Limits />
      </Section>
      <Section title="Options">
        {options.length === 0 ? (
          <p className="muted">The charm has no options.</p>
        ) : (
          <table className="list" aria-label="Options">
            <thead>
              <tr>
                <th scope="col">Option</th>
                <th scope="col">Type</th>
                <th scope="col">Default</th>
                <th scope="col">Description</th>
              </tr>
            </thead>
            <tbody>
              {options.map(([name, option]) => (
                <tr key={name}>
                  <th scope="row">{name}</th>
                  <td data-label="Type">{option.type}</td>
                  <td data-label="Default" className="mono verbatim">
                    {option.default === undefined || option.default === "" ? "—" : String(option.default)}
                  </td>
                  <td data-label="Description" className="message">
                    {option.description || "—"}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </Section>
      <Endpoints metadata={metadata} />
      <Section title="On the command line">
        <CommandHint cli={command("deploy", "-m", model, "./FILE.charm", charm.name)} />
      </Section>
      <Section title="README">
        <Readme model={model} charm={charm} />
      </Section>
    </>
  );
}

function Endpoints({ metadata }: { metadata: CharmInfo["metadata"] }) {
  const rows = (["provides", "requires", "peers"] as const).flatMap((role) =>
    Object.entries<CharmEndpoint>(metadata[role] ?? {}).map(([name, endpoint]) => ({ role, name, endpoint })),
  );
  if (rows.length === 0) return null;
  return (
    <Section title="Endpoints">
      <table className="list" aria-label="Endpoints">
        <thead>
          <tr>
            <th scope="col">Endpoint</th>
            <th scope="col">Role</th>
            <th scope="col">Interface</th>
            <th scope="col">Scope</th>
            <th scope="col">Limit</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ role, name, endpoint }) => (
            <tr key={`${role} ${name}`}>
              <th scope="row">{name}</th>
              <td data-label="Role">{role}</td>
              <td data-label="Interface">{endpoint.interface}</td>
              <td data-label="Scope">{endpoint.scope}</td>
              <td data-label="Limit">{endpoint.limit ?? "none"}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Section>
  );
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="section" aria-label={title}>
      <h2 className="section__title">{title}</h2>
      {children}
    </section>
  );
}
