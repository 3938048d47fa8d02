import type { SourceScheme, SourceSettings } from '#lib/contract';

/**
 * Published vectors of the schemes, and how verifiers are expected to treat headers at the edge. `{t}` and `{v1}` stand for the
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

/** Raw HMAC-SHA256 in hex, from stripe-node's test/crypto/helpers.ts: as GitHub's scheme, it signs the body alone. */
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

  { given: 'an empty header', header: '', verdict: 'signature_malformed' },

  { given: 'no t', header: 'v1={v1}', verdict: 'signature_malformed' },
  { given: 'a t without a value', header: 't=,v1={v1}', verdict: 'signature_malformed' },
  { given: 'a bare t', header: 't,v1={v1}', verdict: 'signature_malformed' },
  { given: 't twice', header: 't={t},t={t},v1={v1}', verdict: 'signature_malformed' },
  { given: 'a bare t beside a right one', header: 't,t={t},v1={v1}', verdict: 'signature_malformed' },
  { given: 'a t with letters after its digits', header: 't={t}abc,v1={v1}', verdict: 'signature_malformed' },
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

export const twilioForm = new URLSearchParams({
  Digits: '1234',
  To: '+18005551212',
  From: '+14158675309',
  Caller: '+14158675309',
  CallSid: 'CA1234567890ABCDE',
}).toString();

/** One or more of each provider, as their own documents or libraries have them. */
export const providerVectors: readonly {
  scheme: SourceScheme;
  source: string;
  secret: string;
  headers: Readonly<Record<string, string>>;
  body: string;
  atSeconds?: number;
  settings?: SourceSettings;
  query?: string;
}[] = [
  {
    scheme: 'standard-webhooks',
    source: 'standard-webhooks, libraries/javascript/src/webhook.test.ts',
    secret: standardWebhooksVector.secret,
    headers: {
      'webhook-id': standardWebhooksVector.id,
      'webhook-timestamp': String(standardWebhooksVector.timestampSeconds),
      'webhook-signature': standardWebhooksVector.signature,
    },
    body: standardWebhooksVector.body,
    atSeconds: standardWebhooksVector.timestampSeconds,
  },
  {
    scheme: 'slack',
    source: 'python-slack-sdk, tests/signature/test_signature_verifier.py',
    secret: '8f742231b10e8888abcd99yyyzzz85a5',
    headers: {
      'x-slack-request-timestamp': '1531420618',
      'x-slack-signature': 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
    },
    body: 'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c',
    atSeconds: 1_531_420_618,
  },
  {
    scheme: 'square',
    source: 'square-nodejs-sdk, tests/integration/webhooks.test.ts',
    secret: 'Ibxx_5AKakO-3qeNVR61Dw',
    settings: { public_url: 'https://webhook.site/679a4f3a-dcfa-49ee-bac5-9d0edad886b9' },
    headers: { 'x-square-hmacsha256-signature': 'GF4YkrJgGBDZ9NIYbNXBnMzqb2HoL4RW/S6vkZ9/2N4=' },
    body: '{"merchant_id":"MLEFBHHSJGVHD","type":"webhooks.test_notification","event_id":"ac3ac95b-f97d-458c-a6e6-18981597e05f","created_at":"2022-07-13T20:30:59.037339943Z","data":{"type":"webhooks","id":"bc368e64-01aa-407e-b46e-3231809b1129"}}',
  },
  {
    scheme: 'paddle',
    source: 'paddle-node-sdk, src/__tests__/notifications/webhooks-validator.node.test.ts',
    secret: 'VALID_SECRET',
    headers: {
      'paddle-signature': 'ts=1698796800;h1=a300428748dce5c70e4da19bffd60769591ea969c99dea3105d0ec9612cf43f9',
    },
    body: '{"data": ["1", "2"]}',
    atSeconds: 1_698_796_800,
  },
  {
    scheme: 'shopify',
    source: 'shopify-app-js, packages/apps/shopify-api/lib/webhooks/__tests__/validate.test.ts',
    secret: 'test_secret_key',
    headers: { 'x-shopify-hmac-sha256': 'B23tXN681gZ0qIWNRrgtzBE9XSDo5yaUu6wfmhu3a7g=' },
    body: '{"foo": "bar"}',
  },
  {
    scheme: 'twilio',
    source: 'twilio-node, spec/validation.spec.js',
    secret: '12345',
    settings: { public_url: 'https://mycompany.com/myapp.php?foo=1&bar=2' },
    headers: { 'x-twilio-signature': 'RSOYDt4T1cUTdK1PDd93/VVr8B8=' },
    body: twilioForm,
  },
  {
    scheme: 'twilio',
    source: 'twilio-node, spec/validation.spec.js (a body that is no form)',
    secret: '12345',
    settings: { public_url: 'https://mycompany.com/myapp.php?foo=1&bar=2' },
    query: '?foo=1&bar=2&bodySHA256=0a1ff7634d9ab3b95db5c9a2dfe9416e41502b283a80c7cf19632632f96e6620',
    headers: { 'x-twilio-signature': 'a9nBmqA0ju/hNViExpshrM61xv4=' },
    body: '{"property": "value", "boolean": true}',
  },
  {
    scheme: 'twilio',
    source: 'twilio-node, spec/validation.spec.js (the hash alone in the query)',
    secret: '12345',
    settings: { public_url: 'https://mycompany.com/myapp.php' },
    query: '?bodySHA256=0a1ff7634d9ab3b95db5c9a2dfe9416e41502b283a80c7cf19632632f96e6620',
    headers: { 'x-twilio-signature': 'y77kIzt2vzLz71DgmJGsen2scGs=' },
    body: '{"property": "value", "boolean": true}',
  },
  {
    scheme: 'adyen',
    source: 'adyen-node-api-library, src/__tests__/hmacValidator.spec.ts (REPORT_AVAILABLE)',
    secret: 'DFB1EB5485895CFA84146406857104ABB4CBCABDC8AAF103A624C8F6A3EAAB00',
    headers: {},
    body: adyenNotification('REPORT_AVAILABLE', 'ZNBPtI+oDyyRrLyD1XirkKnQgIAlFc07Vj27TeHsDRE='),
  },
  {
    scheme: 'adyen',
    source: 'adyen-node-api-library, src/__tests__/hmacValidator.spec.ts (CAPTURE)',
    secret: 'DFB1EB5485895CFA84146406857104ABB4CBCABDC8AAF103A624C8F6A3EAAB00',
    headers: {},
    body: adyenNotification('CAPTURE', 'xhpHvYq2u2Np0rstbZ6QjLGu7JWhvf7Iwaa6EviJSX0='),
  },
];

function adyenNotification(eventCode: string, hmacSignature: string): string {
  const NotificationRequestItem = {
    additionalData: { hmacSignature },
    amount: { currency: 'EUR', value: 1000 },
    pspReference: 'pspReference',
    originalReference: 'originalReference',
    merchantAccountCode: 'merchantAccount',
    merchantReference: 'reference',
    eventCode,
    eventDate: '1970-01-01T00:00:00Z',
    paymentMethod: 'VISA',
    reason: 'reason',
    success: 'true',
  };
  return JSON.stringify({ live: 'false', notificationItems: [{ NotificationRequestItem }] });
}
