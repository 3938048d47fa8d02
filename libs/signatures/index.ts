export { generateSecret, isUsableSecret, signHookline, signStandardWebhooks, signatureHeaders } from './sign.ts';
export type {
  Begun,
  HeaderValues,
  SchemeSettings,
  SignatureCheck,
  SignatureRejection,
  SignatureScheme,
  SignedRequest,
} from './scheme.ts';
export { signatureSchemes } from './schemes.ts';
