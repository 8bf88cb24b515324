/** What a status word means to the eye: a tone for its colour and a shape that tells it without. */

export type Tone = 'positive' | 'information' | 'caution' | 'negative' | 'neutral';

/** Drawn by `StatusShape`; no two tones share one. */
export type Shape = 'disc' | 'half' | 'triangle' | 'square' | 'octagon' | 'ring';

export interface Look {
  tone: Tone;
  shape: Shape;
}

const LOOKS: Record<string, Look> = {};

function look(tone: Tone, shape: Shape, ...words: string[]): void {
  for (const word of words) LOOKS[word] = { tone, shape };
}

look('positive', 'disc', 'active', 'started', 'running', 'idle', 'available', 'joined', 'ok', 'ready', 'up', 'finished', 'listening', 'completed', 'attached');
look('information', 'half', 'executing', 'allocating', 'pending', 'busy', 'starting', 'joining', 'rebooting');
look('caution', 'triangle', 'waiting', 'maintenance', 'suspended', 'suspending', 'stopping', 'detaching', 'destroying', 'aborting');
look('negative', 'square', 'blocked');
look('negative', 'octagon', 'error', 'failed', 'lost', 'down', 'provisioning error', 'broken', 'backoff', 'does not listen');

const NEUTRAL: Look = { tone: 'neutral', shape: 'ring' };

/** The look of any status word; a word nobody knows is neutral. */
export function lookOf(status: string): Look {
  return LOOKS[status] ?? NEUTRAL;
}

const ORDER: Tone[] = ['negative', 'caution', 'information', 'positive', 'neutral'];

/** Smaller needs attention sooner. */
export function urgency(status: string): number {
  const { tone, shape } = lookOf(status);
  return ORDER.indexOf(tone) * 2 + (shape === 'square' ? 1 : 0);
}

/** `3 active, 1 error`, what needs attention first. */
export function countStatuses(statuses: string[]): string {
  const counts = new Map<string, number>();
  for (const status of statuses) counts.set(status, (counts.get(status) ?? 0) + 1);
  return [...counts]
    .sort(([a], [b]) => urgency(a) - urgency(b) || a.localeCompare(b))
    .map(([status, count]) => `${count} ${status}`)
    .join(', ');
}
