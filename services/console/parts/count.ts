/** 1204 as `1,204`; above what is counted as `10,000+`. */
export const count = (value: number, isCapped = false): string => `${value.toLocaleString('en')}${isCapped ? '+' : ''}`;
