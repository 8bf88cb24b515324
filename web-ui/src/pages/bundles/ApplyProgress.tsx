import { Failure } from "../../components/States";
import { applyText, changeStates } from "../../lib/bundles";
import type { Followed } from "./useApply";

/** The changes of an apply as they are made. */
export function ApplyProgress({ followed, onAgain }: { followed: Followed; onAgain: () => void }) {
  const { apply, silent, error } = followed;
  const states = changeStates(apply);
  const stopped = apply.state === "failed" || apply.state === "interrupted";
  return (
    <section className="section" aria-label="Progress">
      <h2 className="section__title">Progress</h2>
      <p role="status">
        {applyText(apply)}
        {silent && " (the controller does not answer; retrying)"}
      </p>
      {apply.changes.length > 0 && (
        <progress max={apply.changes.length} value={apply.taken} aria-label="Changes made" />
      )}
      <ol className="bundle-changes">
        {apply.changes.map(({ words }, index) => (
          <li key={`${index} ${words}`} data-state={states[index]}>
            {words} <span className="tag">{states[index]}</span>
          </li>
        ))}
      </ol>
      {stopped && (
        <div className="p-notification--negative" role="alert">
          <div className="p-notification__content">
            <h5 className="p-notification__title">The bundle was only partly applied</h5>
            <p className="p-notification__message">
              {apply.message}. What was changed stays; applied again, the bundle goes on from there.
            </p>
          </div>
          <div className="p-notification__meta">
            <button type="button" className="p-button is-small u-no-margin--bottom" onClick={onAgain}>
              Plan again
            </button>
          </div>
        </div>
      )}
      {error != null && <Failure error={error} />}
    </section>
  );
}
