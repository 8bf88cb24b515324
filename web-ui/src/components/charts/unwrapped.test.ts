import { describe, expect, it } from 'vitest';

import { unwrapped } from './unwrapped';

describe('a written text', () => {
  it('is wrapped where it is shown, not where it was written', () => {
    expect(unwrapped('Keeps a small site\nin the state\n\nof its unit.\n')).toBe('Keeps a small site in the state\n\nof its unit.');
  });

  it('keeps lists and what is set in', () => {
    const text = 'One of:\n- fast\n- slow\n1. first\n  an example';
    expect(unwrapped(text)).toBe(text);
  });
});
