export { decodeContent, type DecodedContent } from './decode-content.ts';
