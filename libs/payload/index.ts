export { isForm, jsonOfBody } from './form-body.ts';
export { createJsonBody, type JsonBody, memberText, type Scalar } from './json-body.ts';
export { locateScalar } from './locate-scalar.ts';
export { shownScalar } from './shown-scalar.ts';
export { codingOf, decodeContent } from './decode-content.ts';
