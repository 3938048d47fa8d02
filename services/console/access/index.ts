export { keyPages } from './keys.ts';
export { sessionPages } from './sessions.ts';
