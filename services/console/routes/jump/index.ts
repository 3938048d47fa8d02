import { jump } from './jump.ts';

/** `T/jump`: whatever has an id. */
export const jumpPages = [jump];
