export { bisect } from './bisect.ts';
