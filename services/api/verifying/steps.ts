/** The steps in which the ingress checks a webhook, in their order. */
export const verificationSteps = ['address', 'length', 'signature_header', 'timestamp', 'signature'] as const;

export type VerificationStep = (typeof verificationSteps)[number];
