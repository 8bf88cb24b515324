import { sentence } from "../lib/sentence";

/** Why nothing that is exposed is found by its name, and what helps. */
export function NamelessNote({ reason }: { reason: string | null | undefined }) {
  if (!reason) return null;
  return (
    <div className="p-notification--negative" role="alert">
      <div className="p-notification__content">
        <h5 className="p-notification__title">Nothing can be reached by name</h5>
        <p className="p-notification__message">
          {sentence(reason)} If a port is in use, free it or choose another one:{" "}
          <code>periapt controller-config ingress-port=PORT</code>
        </p>
      </div>
    </div>
  );
}
