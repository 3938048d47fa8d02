import { heldSecrets } from './scheme-cases.ts';
import type { SchemeCase } from './signature-forms.ts';
import { nowSeconds, verifyRequest } from './verify.ts';

export interface Tampering {
  headers?: Record<string, string | readonly string[] | undefined>;
  body?: Buffer;
  secrets?: readonly string[];
  /** Seconds between the signed time and now. */
  distance?: number;
  signedBy?: string;
}

export const bodyOf = (testCase: SchemeCase, text: string | Buffer): Buffer => {
  const bytes = Buffer.from(text as string);
  return testCase.bodyOf?.(bytes) ?? bytes;
};

export const signed = (testCase: SchemeCase, body: Buffer, { signedBy, distance = 0 }: Tampering = {}) =>
  testCase.headers({ secret: signedBy ?? testCase.secrets[0], time: String(nowSeconds + distance), id: 'msg_1', body });

/** A webhook that is signed right, and then changed. */
export function verifyChanged(testCase: SchemeCase, change: Tampering, body = bodyOf(testCase, '{"id":"evt_1"}')) {
  const arrived = change.body ?? body;
  return verifyRequest(testCase.scheme, {
    headers: { ...signed(testCase, body, change), ...change.headers },
    secrets: heldSecrets(testCase, change.secrets ?? [testCase.secrets[0]]),
    chunks: [arrived],
    query: testCase.query?.(arrived) ?? '',
    ...(testCase.settings !== undefined && { settings: testCase.settings }),
  });
}
