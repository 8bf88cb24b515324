/** What is disabled in a model, above every page from which it could be asked for. */
import { Link } from "react-router";
import type { BlockKind } from "../../api/types";
import { disabled } from "../../lib/blocks";
import { toBlocks } from "../../lib/to";
import { useModel } from "../../live/context";

export function BlockedBanner({ model }: { model: string }) {
  const blocks = Object.entries(useModel(model).model?.blocks ?? {}) as [BlockKind, string][];
  if (blocks.length === 0) return null;
  return (
    <div className="p-notification--caution" role="note" aria-label="Disabled commands">
      <div className="p-notification__content">
        <h5 className="p-notification__title">Some commands are disabled in {model}</h5>
        {blocks.map(([kind, message]) => (
          <p key={kind} className="p-notification__message">
            {disabled(kind)}
            {message && <>: {message}</>}
          </p>
        ))}
        <p className="p-notification__message">
          <Link to={toBlocks(model)}>See what is disabled</Link>
        </p>
      </div>
    </div>
  );
}
