export { type Bisected, bisect } from './bisect.ts';
