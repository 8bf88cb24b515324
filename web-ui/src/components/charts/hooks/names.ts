/** `actions/rebuild` in words: a charm knows its actions and commands by such names, people do not. */
export function hookName(hook: string): string {
  const [, kind, name] = /^(action|command)s\/(.+)$/.exec(hook) ?? [];
  return kind && name ? `${kind} ${name}` : hook;
}
