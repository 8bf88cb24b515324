import { TakesAlong } from "../../components/TakesAlong";
import { type Going, goes } from "../../lib/storage";

interface Properties {
  storages: readonly Going[];
  destroy: boolean;
  onChange: (destroy: boolean) => void;
}

/** A part of a removal: what becomes of the storage of those that go. */
export function GoingStorage({ storages, destroy, onChange }: Properties) {
  if (storages.length === 0) return null;
  const named = (going: boolean): string[] =>
    storages.filter((each) => goes(each, destroy) === going).map(({ storage }) => storage.id);
  const choice = storages.some(({ storage, owned }) => owned && storage.persistent);
  return (
    <>
      <p>Storage:</p>
      <ul className="takes-along">
        <TakesAlong names={named(true)} one="destroyed with its contents:" many="destroyed with their contents:" />
        <TakesAlong names={named(false)} one="detached and kept:" many="detached and kept:" />
      </ul>
      {choice && (
        <label className="check">
          <input type="checkbox" checked={destroy} onChange={(event) => onChange(event.target.checked)} />
          <span>Also destroy the storage and its contents</span>
        </label>
      )}
    </>
  );
}
