import { useQuery } from "@tanstack/react-query";
import { storagePools } from "../../api";
import type { CharmInfo } from "../../api/types";
import { SelectField, TextField } from "../../components/Fields";
import {
  type AllStorageTexts,
  countError,
  type DeclaredStorage,
  declaredStorage,
  NOTHING_ASKED,
  type StorageTexts,
  sizeError,
} from "../../lib/deployStorage";

interface Properties {
  model: string;
  charm: CharmInfo;
  texts: AllStorageTexts;
  onChange: (texts: AllStorageTexts) => void;
}

/** Fields for each storage that the charm declares; nothing where it declares none. */
export function StorageFields({ model, charm, texts, onChange }: Properties) {
  const declared = declaredStorage(charm);
  const pools = useQuery({
    queryKey: ["storage-pools", model],
    queryFn: () => storagePools.list(model),
    enabled: declared.length > 0,
  });
  if (declared.length === 0) return null;
  const names = pools.data?.map(({ name }) => name) ?? [];
  return (
    <fieldset>
      <legend>Storage</legend>
      <p className="p-form-help-text">
        Storage for each unit. Empty fields take the defaults of the charm and the model.
      </p>
      {declared.map((storage) => (
        <OneStorage
          key={storage.name}
          storage={storage}
          pools={names}
          texts={texts[storage.name] ?? NOTHING_ASKED}
          onChange={(one) => onChange({ ...texts, [storage.name]: one })}
        />
      ))}
    </fieldset>
  );
}

interface OneProperties {
  storage: DeclaredStorage;
  pools: string[];
  texts: StorageTexts;
  onChange: (texts: StorageTexts) => void;
}

function OneStorage({ storage, pools, texts, onChange }: OneProperties) {
  const { name, description, shared, range } = storage;
  const number = shared ? `All units share them; the charm takes ${range}` : `The charm takes ${range}`;
  return (
    <>
      {description && <p className="p-form-help-text">{description}</p>}
      <div className="deploy__storage">
        <SelectField
          label={`${name}: pool`}
          value={texts.pool}
          onChange={(pool) => onChange({ ...texts, pool })}
          options={[["", "Model default"], ...pools]}
        />
        <TextField
          label={`${name}: number`}
          value={texts.count}
          onChange={(count) => onChange({ ...texts, count })}
          error={countError(texts.count)}
          help={number}
        />
        <TextField
          label={`${name}: size`}
          value={texts.size}
          onChange={(size) => onChange({ ...texts, size })}
          error={sizeError(texts.size)}
          help="As in 512M or 10G"
        />
      </div>
    </>
  );
}
