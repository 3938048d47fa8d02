import fc from 'fast-check';
import { heldSecrets, schemeCases } from './scheme-cases.ts';
import { bodyOf, signed } from './tampering.ts';
import { nowSeconds, verifyRequest } from './verify.ts';

describe.each(schemeCases)('whatever comes to $name', (testCase) => {
  /** Mutations of a header by senders, proxies and attackers. */
  const mutation = fc.oneof(
    { weight: 3, arbitrary: fc.constant((value: string): string | string[] | undefined => value) },
    fc.constantFrom(
      () => undefined,
      (value: string) => [value, value],
      (value: string) => value.toUpperCase(),
      (value: string) => `${value},${value}`,
      (value: string) => `${value} ${value}`,
      (value: string) => `${value};${value}`,
      (value: string) => ` ${value}`,
      (value: string) => `${value}=`,
      (value: string) => value.replace(/=+$/, ''),
      (value: string) => value.replace(/^(\w+=)?(\d+)/, '$1$2abc'),
      (value: string) => value.replace(/^(\w+=)?(\d+)/, '$1Infinity'),
      (value: string) => `v0=aa,foo=bar,${value}`,
      (value: string) => `v1,aaaa v2,bbbb ${value}`,
    ),
    fc.string().map((text) => () => text),
    fc.tuple(fc.nat(), fc.string({ maxLength: 2 })).map(([at, text]) => (value: string) => {
      const place = at % (value.length + 1);
      return value.slice(0, place) + text + value.slice(place + 1);
    }),
  );
  const chunks = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 4 });
  const signer = fc.constantFrom(0, 0, 1, 1, 2);

  test('it never throws, and accepts what an independent HMAC says, no more and no less, however it is cut', () => {
    let accepted = 0;
    fc.assert(
      fc.property(
        fc.array(mutation, { minLength: 3, maxLength: 3 }),
        chunks,
        signer,
        fc.integer({ min: -303, max: 303 }),
        fc.boolean(),
        (mutations, pieces, by, distance, isCut) => {
          const body = bodyOf(testCase, Buffer.concat(pieces));
          const sent = signed(testCase, body, { distance, signedBy: testCase.secrets[by] });
          const headers = Object.fromEntries(
            Object.entries(sent).map(([name, value], index) => [name, mutations[index]?.(value)]),
          );
          const secrets = heldSecrets(testCase, testCase.secrets.slice(0, 2));
          const half = body.length >> 1;
          const verdict = verifyRequest(testCase.scheme, {
            headers,
            secrets,
            chunks: isCut ? [body.subarray(0, half), body.subarray(half)] : [body],
            query: testCase.query?.(body) ?? '',
            ...(testCase.settings !== undefined && { settings: testCase.settings }),
          });
          const isAccepted = testCase.accepts({ headers, secrets, nowSeconds, body });
          accepted += Number(isAccepted);
          expect(verdict === 'valid').toBe(isAccepted);
        },
      ),
      { numRuns: 600 },
    );
    // A property that has only seen refusals has shown nothing.
    expect(accepted).toBeGreaterThan(10);
  });

  test('nor for any headers, bytes and secrets at all', () => {
    const value = fc.oneof(fc.string(), fc.array(fc.string(), { maxLength: 3 }), fc.constant(undefined));
    const names = Object.keys(signed(testCase, bodyOf(testCase, '')));
    fc.assert(
      fc.property(
        fc.tuple(...names.map((name) => value.map((given) => [name, given] as const))),
        chunks,
        fc.array(fc.oneof(fc.string(), fc.constantFrom('whpk_', 'whpk_AAAA', 'whsec_====', 'zz')), { maxLength: 3 }),
        fc.string(),
        (headers, pieces, secrets, query) => {
          const verdict = verifyRequest(testCase.scheme, {
            headers: Object.fromEntries(headers),
            secrets,
            chunks: pieces,
            query,
            ...(testCase.settings !== undefined && { settings: testCase.settings }),
          });
          expect(verdict).toMatch(/^(signature_|timestamp_)/);
        },
      ),
      { numRuns: 300 },
    );
  });
});
