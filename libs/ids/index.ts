export { type IdPrefix, type RandomBytes, createId, derivedId } from './ids.ts';
