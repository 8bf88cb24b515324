import { SelectField, TextField } from "../../components/Fields";
import { More } from "../../components/More";
import { LONGEST, NO_OPTIONS, type Options } from "../../lib/actions/request";

interface Properties {
  options: Options;
  error: string | null;
  /** What the charm says of the action; nothing of a command. */
  parallel: boolean | undefined;
  group: string | undefined;
  onChange: (options: Options) => void;
}

/** What is seldom changed: how long it may take, and what it may run beside. */
export function RunOptions({ options, error, parallel, group, onChange }: Properties) {
  const asTheCharmSays = parallel === undefined ? "As usual: no" : `As the charm declares: ${parallel ? "yes" : "no"}`;
  const changed = Object.keys(NO_OPTIONS).some((name) => options[name as keyof Options] !== "");
  return (
    <More summary="Options" needed={changed || error !== null}>
      <TextField
        label="Time limit, seconds"
        value={options.timeout}
        onChange={(timeout) => onChange({ ...options, timeout })}
        error={error}
        help={`How long each task may run, at most ${LONGEST}; if empty, as long as a hook`}
      />
      <SelectField
        label="Run beside other tasks"
        value={options.parallel}
        onChange={(value) => onChange({ ...options, parallel: value as Options["parallel"] })}
        options={[
          ["", asTheCharmSays],
          ["true", "Yes"],
          ["false", "No"],
        ]}
        help="Whether it may run while other tasks run on the same machine"
      />
      <TextField
        label="Execution group"
        value={options.group}
        onChange={(value) => onChange({ ...options, group: value })}
        help={`Tasks of one group run one at a time on a machine; ${group ? `${group}, as the charm says,` : "none"} when empty`}
      />
    </More>
  );
}
