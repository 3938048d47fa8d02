export { decodeContent } from './decode-content.ts';
