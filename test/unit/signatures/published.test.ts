import { providerVectors } from './vectors.ts';
import { nowSeconds, verifyRequest } from './verify.ts';

describe('what a provider has published', () => {
  test.each(providerVectors)('is accepted by the scheme $scheme: $source', (vector) => {
    const { scheme, secret, headers, body, settings = {}, query = '', atSeconds = nowSeconds } = vector;
    const verifyBody = (text: string) =>
      verifyRequest(scheme, {
        headers,
        secrets: [secret],
        chunks: [Buffer.from(text)],
        nowSeconds: atSeconds,
        settings,
        query,
      });
    expect(verifyBody(body)).toBe('valid');
    // In every scheme this is signed, in Adyen's items as the last of the fields.
    const changed = body.includes('"success"') ? body.replace('"true"', '"false"') : `${body}0`;
    expect(verifyBody(changed)).toBe('signature_invalid');
  });
});
