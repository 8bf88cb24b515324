import { CopyButton } from "../../components/CopyButton";
import { Preformatted, ValueTree } from "../../components/ValueTree";
import { resultsOf } from "../../lib/results";

/** What a task answered: what a command printed and how it ended, and what the charm set. */
export function Results({ results }: { results: Record<string, unknown> }) {
  const { printed, returnCode, rest } = resultsOf(results);
  if (Object.keys(results).length === 0) return null;
  return (
    <div className="task__part">
      <div className="section__head">
        <h3 className="task__label">Results</h3>
        <CopyButton text={JSON.stringify(results, null, 2)} label="Copy as JSON" />
      </div>
      {returnCode !== null && <p>Return code {returnCode}</p>}
      {Object.keys(rest).length > 0 && <ValueTree value={rest} />}
      {printed.map(({ name, text, encoding }) => (
        <div key={name}>
          <h4 className="task__label">
            {name}
            {encoding && encoding !== "utf-8" && <span className="muted"> as {encoding}</span>}
          </h4>
          <Preformatted text={text} label={name} />
        </div>
      ))}
    </div>
  );
}
