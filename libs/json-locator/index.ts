export { isForm, jsonOfBody } from './form-body.ts';
export { createJsonBody, type JsonBody, type Scalar } from './json-body.ts';
export { locateScalar } from './locate-scalar.ts';
export { memberText } from './member-text.ts';
export { shownScalar } from './shown-scalar.ts';
