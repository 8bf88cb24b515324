import { useSearchParams } from "react-router";

/** Filters that live in the address bar, so that a link shows what its sender saw. */
export function useFilters<K extends string>(
  names: readonly K[],
): [Record<K, string>, (name: K, value: string) => void, () => void] {
  const [parameters, setParameters] = useSearchParams();
  const values = Object.fromEntries(
    names.map((name) => [name, parameters.get(name) ?? ""]),
  ) as Record<K, string>;
  const set = (name: K, value: string): void =>
    setParameters(
      (known) => {
        if (value) known.set(name, value);
        else known.delete(name);
        return known;
      },
      { replace: true },
    );
  const clear = (): void =>
    setParameters(
      (known) => {
        for (const name of names) known.delete(name);
        return known;
      },
      { replace: true },
    );
  return [values, set, clear];
}
