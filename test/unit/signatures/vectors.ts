/**
 * Published vectors of the two schemes, and how verifiers are expected to treat headers at the edge. `{t}` and `{v1}` stand for the
 * time of signing and the right signature.
 */

export const githubVectors = [
  {
    source: 'GitHub, "Validating webhook deliveries"',
    secret: "It's a Secret to Everybody",
    body: 'Hello, World!',
    header: 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
  },
  {
    // Decoded and encoded again, \u001B would become \u001b: only the bytes as they came may be hashed.
    source: 'octokit/webhooks-methods.js, test/verify.test.ts',
    secret: 'development',
    body: '{"foo":"Foo\\n\\u001B[34mbar: ♥♥♥♥♥♥♥♥\\nthis-is-lost\\u001B[0m\\u001B[2K"}',
    header: 'sha256=afecc3caa27548bb90d51a50384cb2868b9a3327b4ad6a01c9bd4ed0f8b0b12c',
  },
] as const;

/** Of raw HMAC-SHA256 in hex, stripe-node's test/crypto/helpers.ts: as GitHub's scheme, it signs the body alone. */
export const hmacVectors = [
  { secret: 'test_secret', body: '', hex: 'f7f9bd47fb987337b5796fdc1fdb9ba221d0d5396814bfcaf9521f43fd8927fd' },
  {
    secret: 'test_secret',
    body: '{"obj1":"hello","obj2":"world"}',
    hex: 'bebb1a643997f419b315ddba19e6f5411e1ce7f810ba6d3617ce72823092f363',
  },
] as const;

/** Standard Webhooks 1.0, reference libraries' "sign function works". */
export const standardWebhooksVector = {
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  timestampSeconds: 1614265330,
  body: '{"test": 2432232314}',
  signature: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
} as const;

const wrong = 'ab'.repeat(32);

export const hooklineHeaders = [
  { given: 'the header as it is signed', header: 't={t},v1={v1}', verdict: 'valid' },
  { given: 'v1 before t', header: 'v1={v1},t={t}', verdict: 'valid' },
  { given: 'parts of unknown names', header: 't={t},v1={v1},foo=bar,v0=aa,', verdict: 'valid' },
  { given: 'a wrong v1 and a right one', header: `t={t},v1=${wrong},v1={v1}`, verdict: 'valid' },
  { given: 'a v1 that is no hex and a right one', header: 't={t},v1=zz,v1={v1}', verdict: 'valid' },
  {
    given: 'nine signatures, the last one right',
    header: `t={t},${`v1=${wrong},`.repeat(8)}v1={v1}`,
    verdict: 'valid',
  },

  { given: 'an empty header', header: '', verdict: 'signature_missing' },

  { given: 'no t', header: 'v1={v1}', verdict: 'signature_malformed' },
  { given: 'a t without a value', header: 't=,v1={v1}', verdict: 'signature_malformed' },
  { given: 'a bare t', header: 't,v1={v1}', verdict: 'signature_malformed' },
  { given: 't twice', header: 't={t},t={t},v1={v1}', verdict: 'signature_malformed' },
  { given: 'a bare t beside a right one', header: 't,t={t},v1={v1}', verdict: 'signature_malformed' },
  { given: 'a t with letters behind its digits', header: 't={t}abc,v1={v1}', verdict: 'signature_malformed' },
  { given: 'a fraction', header: 't={t}.0,v1={v1}', verdict: 'signature_malformed' },
  { given: 'a sign', header: 't=+{t},v1={v1}', verdict: 'signature_malformed' },
  { given: 'an exponent', header: 't=1e9,v1={v1}', verdict: 'signature_malformed' },
  { given: 'hex digits', header: 't=0x65,v1={v1}', verdict: 'signature_malformed' },
  { given: 'Infinity', header: 't=Infinity,v1={v1}', verdict: 'signature_malformed' },
  { given: 'NaN', header: 't=NaN,v1={v1}', verdict: 'signature_malformed' },
  { given: 'digits that are not ASCII', header: 't=١٧٠٠٠٠٠٠٠٠,v1={v1}', verdict: 'signature_malformed' },
  { given: 'no v1', header: 't={t}', verdict: 'signature_malformed' },
  { given: 'a v0 alone', header: 't={t},v0={v1}', verdict: 'signature_malformed' },
  { given: 'a bare v1', header: 'v1,t={t}', verdict: 'signature_malformed' },
  { given: 'a space after the comma', header: 't={t}, v1={v1}', verdict: 'signature_malformed' },
  { given: 'semicolons', header: 't={t};v1={v1}', verdict: 'signature_malformed' },
  { given: 'names in capitals', header: 'T={t},V1={v1}', verdict: 'signature_malformed' },
  { given: 'eleven parts', header: `t={t},${`v1=${wrong},`.repeat(9)}v1={v1}`, verdict: 'signature_malformed' },
  { given: 'ten thousand parts', header: `t={t}${',v1={v1}'.repeat(10_000)}`, verdict: 'signature_malformed' },
  { given: 'a hundred kilobytes', header: `t={t},v1={v1},x=${'y'.repeat(100_000)}`, verdict: 'signature_malformed' },

  { given: 'a time beyond all numbers', header: `t=${'9'.repeat(400)},v1={v1}`, verdict: 'timestamp_out_of_tolerance' },
  { given: 'milliseconds', header: 't={t}000,v1={v1}', verdict: 'timestamp_out_of_tolerance' },

  { given: 'a v1 without a value', header: 't={t},v1=', verdict: 'signature_invalid' },
  { given: 'a v1 that is too short', header: 't={t},v1=abcdef', verdict: 'signature_invalid' },
  { given: 'a v1 that is too long', header: 't={t},v1={v1}00', verdict: 'signature_invalid' },
  { given: 'a v1 that is no hex', header: `t={t},v1=${'z'.repeat(64)}`, verdict: 'signature_invalid' },
  { given: 'a v1 with a space before it', header: 't={t},v1= {v1}', verdict: 'signature_invalid' },
  { given: 'another v1', header: `t={t},v1=${wrong}`, verdict: 'signature_invalid' },
  { given: 'the same time written otherwise', header: 't=0{t},v1={v1}', verdict: 'signature_invalid' },
] as const;
