export function Force({ force, onChange, more }: { force: boolean; onChange: (force: boolean) => void; more?: string }) {
  return (
    <label className="check">
      <input type="checkbox" checked={force} onChange={(event) => onChange(event.target.checked)} />
      <span>Force: {more ?? "do not wait for hooks that fail or agents that are gone"}</span>
    </label>
  );
}
