import { Link } from "react-router";
import type { OwnModelAccess } from "../api/types";
import { toModel } from "../lib/to";
import { Items } from "./Items";

/** The models somebody may see, and what they may do there. */
export function ModelLinks({ models }: { models: readonly OwnModelAccess[] }) {
  return (
    <Items
      none="none"
      of={models.map(({ uuid, name, access }) => ({
        key: uuid,
        shown: (
          <>
            <Link to={toModel(name)}>{name}</Link> ({access})
          </>
        ),
      }))}
    />
  );
}
