/** The controller whose page this is, and the way to the pages of others. */
import { useEffect, useId, useRef, useState } from "react";
import { useLocation } from "react-router";
import {
  forget,
  type KnownController,
  originOf,
  pageThere,
  remember,
  useControllers,
} from "../lib/controllers";
import { Dialog } from "./Dialog";
import { TextField } from "./Fields";

export function ControllerSwitch({ name }: { name: string }) {
  const [open, setOpen] = useState(false);
  const [adding, setAdding] = useState(false);
  const { pathname } = useLocation();
  const others = useControllers().filter(({ origin }) => origin !== location.origin);
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (originOf(location.origin)) remember({ origin: location.origin, name });
  }, [name]);
  return (
    <div className="controller-switch">
      <button
        ref={button}
        type="button"
        className="controller-switch__button"
        aria-label={`Controller ${name}`}
        aria-expanded={open}
        aria-controls={id}
        onClick={() => setOpen(!open)}
      >
        {name}
      </button>
      <div id={id} hidden={!open}>
        <ul aria-label="Other controllers">
          {others.map((one) => (
            <Other
              key={one.origin}
              one={one}
              to={pageThere(one.origin, pathname)}
              onForget={() => {
                forget(one.origin);
                // The button that was pressed is gone.
                button.current?.focus();
              }}
            />
          ))}
        </ul>
        {others.length === 0 && <p className="controller-switch__none">No other controllers have been added.</p>}
        <button type="button" className="controller-switch__button" onClick={() => setAdding(true)}>
          Add controller
        </button>
      </div>
      {adding && <AddController onClose={() => setAdding(false)} />}
    </div>
  );
}

function Other({ one, to, onForget }: { one: KnownController; to: string; onForget: () => void }) {
  return (
    <li data-controller={one.name}>
      <a href={to}>
        {one.name}
        <span className="controller-switch__place">{new URL(one.origin).host}</span>
      </a>
      <button type="button" aria-label={`Forget ${one.name}`} onClick={onForget}>
        ×
      </button>
    </li>
  );
}

function AddController({ onClose }: { onClose: () => void }) {
  const [address, setAddress] = useState("");
  const [name, setName] = useState("");
  const origin = originOf(address);
  const error =
    address !== "" && origin === null
      ? "An address such as 10.0.0.2:17070 or https://prod.example.com"
      : origin === location.origin
        ? "This page belongs to that controller"
        : null;
  return (
    <Dialog
      title="Add controller"
      submit="Add controller"
      disabled={origin === null || error !== null}
      onSubmit={() => {
        if (origin === null) return;
        remember({ origin, name: name.trim() || new URL(origin).host });
        onClose();
      }}
      onClose={onClose}
    >
      <p>
        Saved in this browser only. You sign in on that controller's own page; your browser may ask you to trust its
        certificate.
      </p>
      <TextField label="Address" value={address} onChange={setAddress} error={error} required />
      <TextField label="Name" value={name} onChange={setName} help="Name shown here; its address if empty" />
    </Dialog>
  );
}
