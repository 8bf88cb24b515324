import { lazy, Suspense } from "react";
import { phoneAddress } from "../lib/phone";
import { CopyButton } from "./CopyButton";
import { Dialog } from "./Dialog";
import { Loading } from "./States";

const QrCode = lazy(() => import("./QrCode"));

/** The address of this page for the camera of a phone. It holds no secret and lets nobody in. */
export function PhoneDialog({ onClose }: { onClose: () => void }) {
  const { url, local } = phoneAddress(location);
  return (
    <Dialog title="Open on a phone" submit="Done" cancel={false} onSubmit={onClose} onClose={onClose}>
      {local ? (
        <>
          <p>
            A phone cannot reach <code>{location.host}</code>: that address leads to the device that opens it. Open
            this page at an address of the controller&apos;s machine first, then come back here.
          </p>
          <p className="muted">
            <code>periapt show-controller</code> lists the addresses.
          </p>
        </>
      ) : (
        <>
          <p>
            Scan this with the phone&apos;s camera to open this page there. The code is only the address: the phone
            asks for a user and a password, and the code does not expire.
          </p>
          <Suspense fallback={<Loading what="the code" rows={3} />}>
            <QrCode text={url} label={`QR code of ${url}`} />
          </Suspense>
          <div className="actions">
            <code className="digest">{url}</code>
            <CopyButton text={url} label="Copy address" />
          </div>
          <p className="muted">
            The phone must reach that address over the network. Its browser asks about the certificate unless it
            already trusts the authority that signed it.
          </p>
        </>
      )}
    </Dialog>
  );
}
