import { compare } from './compare.ts';

/** `T/compare`: payloads of events, and attempts of deliveries. */
export const comparePages = [compare];
