export { codingOf, decodeContent } from './decode-content.ts';
