const number = new Intl.NumberFormat("en");

/** A count with its thousands apart: `12,000`. */
export const counted = (value: number): string => number.format(value);
