import { useState } from "react";
import { alerts } from "../../api";
import { CommandHint } from "../../components/Commands";
import { Dialog } from "../../components/Dialog";
import { SelectField, TextField } from "../../components/Fields";
import { command } from "../../lib/commands";
import { useAct } from "../../lib/useAct";

interface Option {
  name: string;
  label: string;
  help?: string;
  secret?: boolean;
  optional?: boolean;
}

const OPTIONS: Record<"webhook" | "email", Option[]> = {
  webhook: [
    { name: "url", label: "URL", help: "https://HOST/PATH" },
    { name: "key", label: "Key", help: "Signs messages; at least 16 characters. It is not shown again", secret: true },
  ],
  email: [
    { name: "host", label: "Mail server" },
    { name: "port", label: "Port", help: "587 by default", optional: true },
    { name: "from", label: "From" },
    { name: "to", label: "To", help: "Addresses separated by commas" },
    { name: "user", label: "User", optional: true },
    { name: "password", label: "Password", help: "It is not shown again", secret: true, optional: true },
  ],
};

const ENCRYPTIONS: [string, string][] = [
  ["starttls", "STARTTLS"],
  ["tls", "TLS from the start"],
  ["none", "None"],
];

export function AddReceiverDialog({ onDone, onClose }: { onDone: () => void; onClose: () => void }) {
  const [name, setName] = useState("");
  const [type, setType] = useState<"webhook" | "email">("webhook");
  const [encryption, setEncryption] = useState("starttls");
  const [values, setValues] = useState<Record<string, string>>({});
  const options = OPTIONS[type];
  const given = options.flatMap(({ name: option }): [string, string][] => {
    const value = values[option]?.trim();
    return value ? [[option, value]] : [];
  });
  const config = Object.fromEntries(type === "email" ? [...given, ["encryption", encryption]] : given);
  const add = useAct(() => alerts.addReceiver({ name: name.trim(), type, config }), onDone);
  const whole = options.every((option) => option.optional || values[option.name]?.trim());
  const shown = options
    .filter((option) => values[option.name]?.trim())
    .map((option) => (option.secret ? `${option.name}#file=FILE` : `${option.name}=${values[option.name]?.trim()}`));
  return (
    <Dialog
      title="Add receiver"
      submit="Add receiver"
      disabled={name.trim() === "" || !whole}
      busy={add.busy}
      error={add.error}
      onSubmit={() => add.run()}
      onClose={onClose}
    >
      <TextField label="Name" value={name} onChange={setName} required />
      <SelectField
        label="Type"
        value={type}
        onChange={(value) => setType(value === "email" ? "email" : "webhook")}
        options={[
          ["webhook", "Webhook"],
          ["email", "E-mail"],
        ]}
      />
      {options.map((option) => (
        <TextField
          key={option.name}
          label={option.label}
          type={option.secret ? "password" : "text"}
          autoComplete={option.secret ? "new-password" : "off"}
          value={values[option.name] ?? ""}
          onChange={(value) => setValues({ ...values, [option.name]: value })}
          help={option.help}
          required={!option.optional}
        />
      ))}
      {type === "email" && (
        <SelectField label="Encryption" value={encryption} onChange={setEncryption} options={ENCRYPTIONS} />
      )}
      <CommandHint
        cli={command(
          "add-alert-receiver",
          name.trim() || "NAME",
          type,
          ...shown,
          type === "email" && encryption !== "starttls" && `encryption=${encryption}`,
        )}
      />
    </Dialog>
  );
}
