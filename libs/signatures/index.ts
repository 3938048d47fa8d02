export { generatePrivateKey, isPublicKey, publicKeyOf, readPrivateKey } from './ed25519.ts';
export { identityRule, type IdentityRule } from './identity-rule.ts';
export type { HeaderValues, SchemeSettings, SignatureRejection, SignatureScheme, SignedRequest } from './scheme.ts';
export { schemeProblems, schemeSettings, signatureSchemes } from './schemes.ts';
export { generateSecret, isUsableSecret } from './secret.ts';
export { signatureHeaders, signHookline, type SigningSecret, signingSecret, signStandardWebhooks } from './sign.ts';
export { type Trails, createTrails } from './trails.ts';
