/** A whole number as the documents have it: 17,000. */
export const thousands = (value: number): string => Math.round(value).toLocaleString('en');
