import { describe, expect, it } from 'vitest';

import { countStatuses, lookOf, urgency } from './status';

describe('looks of status words', () => {
  it('never tells two tones by the same shape', () => {
    const words = ['active', 'waiting', 'maintenance', 'executing', 'blocked', 'error', 'unknown', 'nonsense'];
    const tones = new Map<string, Set<string>>();
    for (const word of words) {
      const { tone, shape } = lookOf(word);
      tones.set(shape, (tones.get(shape) ?? new Set()).add(tone));
    }
    for (const [shape, found] of tones) expect([shape, found.size]).toEqual([shape, 1]);
    expect(lookOf('nonsense')).toEqual(lookOf('unknown'));
  });

  it('puts what needs attention first', () => {
    const order = ['active', 'unknown', 'blocked', 'error', 'waiting', 'executing'].sort((a, b) => urgency(a) - urgency(b));
    expect(order).toEqual(['error', 'blocked', 'waiting', 'executing', 'active', 'unknown']);
    expect(countStatuses(['active', 'error', 'active'])).toBe('1 error, 2 active');
  });
});
