/** Who wrote a line: its name as pages write it. Pure. */

/** `unit-queue-worker-0` is `queue-worker/0`, `machine-0-lxd-1` is `machine 0/lxd/1`. */
export function entityName(tag: string): string {
  const unit = /^unit-(.+)-(\d+)$/.exec(tag);
  if (unit) return `${unit[1]}/${unit[2]}`;
  const machine = /^machine-(.+)$/.exec(tag);
  if (machine?.[1]) return `machine ${machine[1].replaceAll('-', '/')}`;
  return tag.replace(/^(application|model|user)-/, '');
}

/** The name as the filter of the log takes it. */
export function entityFilter(tag: string): string {
  return tag.startsWith('unit-') ? entityName(tag) : tag;
}

/** The module without what only says again who wrote it: `juju-log` of `unit.queue-worker/0.juju-log`. */
export function moduleBeside(module: string, tag: string): string {
  const said = [`unit.${entityName(tag)}.`, `unit.${tag}.`, `${tag}.`].find((start) => module.startsWith(start));
  return said ? module.slice(said.length) : module;
}
