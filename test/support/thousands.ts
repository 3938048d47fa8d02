/** A whole number as in the documents: 17,000. */
export const thousands = (value: number): string => Math.round(value).toLocaleString('en');
