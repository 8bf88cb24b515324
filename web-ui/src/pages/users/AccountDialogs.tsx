/** What a change of an account means, said before it is made. */
import { users } from "../../api";
import * as paths from "../../api/paths";
import { CommandHint } from "../../components/Commands";
import { Dialog } from "../../components/Dialog";
import { command } from "../../lib/commands";
import { useAct } from "../../lib/useAct";

interface Properties {
  name: string;
  onClose: () => void;
  onDone: () => void;
}

export function DisableDialog({ name, onClose, onDone }: Properties) {
  const disable = useAct(
    () => users.change(name, { disabled: true }),
    () => {
      onDone();
      onClose();
    },
  );
  return (
    <Dialog
      title={`Disable ${name}`}
      submit="Disable user"
      danger
      busy={disable.busy}
      error={disable.error}
      onSubmit={() => disable.run()}
      onClose={onClose}
    >
      <ul className="takes-along">
        <li>All sessions and tokens of {name} end at once; scripts that use them stop working.</li>
        <li>{name} cannot sign in until a superuser enables the account again.</li>
        <li>Models and access of {name} are kept.</li>
      </ul>
      <CommandHint
        cli={command("disable-user", name)}
        request={{ method: "PATCH", path: paths.user(name), body: { disabled: true } }}
      />
    </Dialog>
  );
}

/** Superuser, to be given or taken. */
export function SuperuserDialog({ name, grant, onClose, onDone }: Properties & { grant: boolean }) {
  const change = useAct(
    () => (grant ? users.grant(name, "superuser") : users.revoke(name, "superuser")),
    () => {
      onDone();
      onClose();
    },
  );
  return (
    <Dialog
      title={grant ? `Make ${name} a superuser` : `Revoke superuser of ${name}`}
      submit={grant ? "Grant superuser" : "Revoke superuser"}
      danger
      busy={change.busy}
      error={change.error}
      onSubmit={() => change.run()}
      onClose={onClose}
    >
      {grant ? (
        <>
          <p>{name} will be able to do everything on this controller:</p>
          <ul className="takes-along">
            <li>see, change and destroy every model, whoever owns it</li>
            <li>add, disable and remove users, including you</li>
            <li>read the audit log, change the controller's configuration and stop it</li>
          </ul>
        </>
      ) : (
        <p>{name} keeps only the models shared with them or owned by them. It takes effect at once, in every session.</p>
      )}
      <CommandHint
        cli={command(grant ? "grant" : "revoke", name, "superuser")}
        request={{ method: grant ? "PUT" : "DELETE", path: `${paths.user(name)}/access`, body: { access: "superuser" } }}
      />
    </Dialog>
  );
}
