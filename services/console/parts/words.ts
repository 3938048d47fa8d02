import { count } from './count.ts';

/** `1 dead letter`, `1,204 dead letters`. */
export const plural = (n: number, one: string, several = `${one}s`): string => `${count(n)} ${n === 1 ? one : several}`;

/** A code of the API as words: `retries_exhausted` as `retries exhausted`. */
export const inWords = (code: string): string => code.replaceAll('_', ' ');
