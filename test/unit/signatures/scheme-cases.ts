/** Every scheme once more, without any of our code: how a request is signed, and which requests are to be accepted. */
import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import type { SourceSettings } from '#lib/contract';
import { hmac, isFresh, parts, type SchemeCase, single, standard } from './signature-forms.ts';

const textSecrets = ['one', 'whsec_two', 'three 3'] as const;
const url = 'https://hooks.example.com:8443/v1/webhooks/src_1?a=1&b=%20';

const standardSecrets = [1, 2, 3].map((byte) => `whsec_${Buffer.alloc(24, byte).toString('base64')}`);
const [standardOne = '', standardTwo = '', standardThree = ''] = standardSecrets;
const symmetric = (secret: string, message: Buffer): string =>
  `v1,${hmac('sha256', Buffer.from(secret.slice('whsec_'.length), 'base64'), 'base64', message)}`;

const keyPairs = [1, 2, 3].map(() => {
  const { privateKey } = generateKeyPairSync('ed25519');
  const { d = '', x = '' } = privateKey.export({ format: 'jwk' });
  const base64 = (text: string): string => Buffer.from(text, 'base64url').toString('base64');
  return { whsk: `whsk_${base64(d)}`, whpk: `whpk_${base64(x)}`, privateKey };
});
const [pairOne = '', pairTwo = '', pairThree = ''] = keyPairs.map(({ whsk }) => whsk);
const asymmetric = (secret: string, message: Buffer): string => {
  const pair = keyPairs.find(({ whsk, whpk }) => whsk === secret || whpk === secret);
  return `v1a,${sign(null, message, pair?.privateKey ?? '').toString('base64')}`;
};

const adyenKeys = ['A1', 'b2', 'C3'].map((byte) => byte.repeat(32));
const [adyenOne = '', adyenTwo = '', adyenThree = ''] = adyenKeys;

const slackMac = (secret: string, at: string, body: Buffer): string =>
  `v0=${hmac('sha256', secret, 'hex', `v0:${at}:`, body)}`;

const sha256Hex = (body: Buffer): string => createHash('sha256').update(body).digest('hex');

/** Dead letters alone, so that nothing of it needs an escape: how forms are escaped is for the tests of Twilio's own. */
const asForm = (bytes: Buffer): Buffer =>
  Buffer.from(`Body=${bytes.toString('hex')}&AccountSid=AC1&To=${bytes.length}&Body=again`);
const formParams = (body: Buffer): string => {
  const bodies = [...new URLSearchParams(body.toString('latin1')).getAll('Body')].sort();
  const to = new URLSearchParams(body.toString('latin1')).get('To') ?? '';
  return `AccountSidAC1${bodies.map((value) => `Body${value}`).join('')}To${to}`;
};

/** For the scheme `hmac`: a header of time and one of an id, if the message has them. */
function configured(
  settings: NonNullable<SourceSettings['hmac']>,
  message: (given: { time: string; id: string; body: Buffer }) => (string | Buffer)[],
  more: SourceSettings = {},
): SchemeCase {
  const {
    algorithm,
    encoding,
    header,
    prefix = '',
    signed,
    timestamp_header: timeHeader,
    id_header: idHeader,
  } = settings;
  const mac = (secret: string, given: { time: string; id: string; body: Buffer }): string =>
    hmac(algorithm, secret, encoding, ...message(given));
  return {
    name: `hmac over ${signed} by ${algorithm} in ${encoding}`,
    scheme: 'hmac',
    settings: { ...more, hmac: settings },
    secrets: textSecrets,
    signature: header.toLowerCase(),
    ...(timeHeader !== undefined && { time: 'its own header' as const, timeHeader: timeHeader.toLowerCase() }),
    headers: ({ secret, ...given }) => ({
      ...(timeHeader !== undefined && { [timeHeader.toLowerCase()]: given.time }),
      ...(idHeader !== undefined && { [idHeader.toLowerCase()]: given.id }),
      [header.toLowerCase()]: prefix + mac(secret, given),
    }),
    accepts({ headers, secrets, nowSeconds, body }) {
      const time = timeHeader === undefined ? '' : headers[timeHeader.toLowerCase()];
      const id = idHeader === undefined ? '' : headers[idHeader.toLowerCase()];
      const given = headers[header.toLowerCase()];
      if (typeof time !== 'string' || typeof id !== 'string' || typeof given !== 'string') return false;
      if (timeHeader !== undefined && !isFresh(time, nowSeconds)) return false;
      if (idHeader !== undefined && !/^[ -~]+$/.test(id)) return false;
      const bare = given.slice(prefix.length);
      const read =
        encoding === 'hex' ? bare.toLowerCase() : encoding === 'base64url' ? bare.replace(/={1,2}$/, '') : bare;
      return given.startsWith(prefix) && secrets.some((secret) => read === mac(secret, { time, id, body }));
    },
  };
}

export const schemeCases: readonly SchemeCase[] = [
  { name: 'hookline', scheme: 'hookline', secrets: textSecrets, ...parts('hookline-signature', ',', 't', 'v1', '.') },
  {
    name: 'hookline in a header of the source’s own',
    scheme: 'hookline',
    settings: { signature_header: 'X-Own' },
    secrets: textSecrets,
    ...parts('x-own', ',', 't', 'v1', '.'),
  },
  { name: 'stripe', scheme: 'stripe', secrets: textSecrets, ...parts('stripe-signature', ',', 't', 'v1', '.') },
  { name: 'paddle', scheme: 'paddle', secrets: textSecrets, ...parts('paddle-signature', ';', 'ts', 'h1', ':') },
  {
    name: 'standard-webhooks',
    scheme: 'standard-webhooks',
    secrets: [standardOne, standardTwo, standardThree],
    ...standard('webhook', symmetric),
  },
  {
    name: 'standard-webhooks in svix headers',
    scheme: 'standard-webhooks',
    secrets: [standardOne, standardTwo, standardThree],
    ...standard('svix', symmetric),
  },
  {
    name: 'standard-webhooks in a brand’s headers',
    scheme: 'standard-webhooks',
    settings: { signature_header: 'X-Brand-Signature' },
    secrets: [standardOne, standardTwo, standardThree],
    ...standard('x-brand', symmetric),
  },
  {
    name: 'standard-webhooks v1a',
    scheme: 'standard-webhooks',
    secrets: [pairOne, pairTwo, pairThree],
    publicOf: (secret) => keyPairs.find(({ whsk }) => whsk === secret)?.whpk ?? '',
    ...standard('webhook', asymmetric),
  },
  {
    name: 'github',
    scheme: 'github',
    secrets: textSecrets,
    ...single('x-hub-signature-256', 'sha256=', (secret, body) => hmac('sha256', secret, 'hex', body)),
  },
  {
    name: 'shopify',
    scheme: 'shopify',
    secrets: textSecrets,
    ...single('x-shopify-hmac-sha256', '', (secret, body) => hmac('sha256', secret, 'base64', body)),
  },
  {
    name: 'slack',
    scheme: 'slack',
    secrets: textSecrets,
    signature: 'x-slack-signature',
    time: 'its own header',
    timeHeader: 'x-slack-request-timestamp',
    headers: ({ secret, time, body }) => ({
      'x-slack-request-timestamp': time,
      'x-slack-signature': slackMac(secret, time, body),
    }),
    accepts({ headers, secrets, nowSeconds, body }) {
      const at = headers['x-slack-request-timestamp'];
      if (!isFresh(at, nowSeconds)) return false;
      return secrets.some((secret) => headers['x-slack-signature'] === slackMac(secret, at, body));
    },
  },
  {
    name: 'square',
    scheme: 'square',
    settings: { public_url: url },
    secrets: textSecrets,
    ...single('x-square-hmacsha256-signature', '', (secret, body) => hmac('sha256', secret, 'base64', url, body)),
  },
  {
    name: 'twilio with a form',
    scheme: 'twilio',
    settings: { public_url: url },
    secrets: textSecrets,
    bodyOf: asForm,
    ...single('x-twilio-signature', '', (secret, body) => hmac('sha1', secret, 'base64', url, formParams(body))),
  },
  {
    name: 'twilio with the body’s hash in the query',
    scheme: 'twilio',
    settings: { public_url: url },
    secrets: textSecrets,
    query: (body) => `?a=1&b=%20&bodySHA256=${sha256Hex(body)}`,
    ...single('x-twilio-signature', '', (secret, body) =>
      hmac('sha1', secret, 'base64', `${url}&bodySHA256=${sha256Hex(body)}`),
    ),
  },
  {
    name: 'adyen in a header',
    scheme: 'adyen',
    secrets: [adyenOne, adyenTwo, adyenThree],
    ...single('hmacsignature', '', (secret, body) => hmac('sha256', Buffer.from(secret, 'hex'), 'base64', body)),
  },
  configured({ algorithm: 'sha1', encoding: 'base64', header: 'X-Sig', signed: 'body' }, ({ body }) => [body]),
  configured(
    {
      algorithm: 'sha512',
      encoding: 'hex',
      header: 'X-Sig',
      prefix: 'sha512=',
      signed: 'timestamp.body',
      timestamp_header: 'X-Time',
    },
    ({ time, body }) => [`${time}.`, body],
  ),
  configured(
    {
      algorithm: 'sha256',
      encoding: 'base64url',
      header: 'X-Sig',
      signed: 'id.timestamp.body',
      timestamp_header: 'X-Time',
      id_header: 'X-Id',
    },
    ({ id, time, body }) => [`${id}.${time}.`, body],
  ),
  configured(
    {
      algorithm: 'sha384',
      encoding: 'hex',
      header: 'X-Sig',
      signed: 'v0:timestamp:body',
      timestamp_header: 'X-Time',
    },
    ({ time, body }) => [`v0:${time}:`, body],
  ),
  configured(
    {
      algorithm: 'sha256',
      encoding: 'hex',
      header: 'X-Sig',
      signed: 'POST+url+body+timestamp',
      timestamp_header: 'X-Time',
    },
    ({ time, body }) => ['POST', url, body, time],
    { public_url: url },
  ),
];

/** The secrets that a source has, for these secrets of the sender. */
export const heldSecrets = ({ publicOf = (secret) => secret }: SchemeCase, secrets: readonly string[]): string[] =>
  secrets.map(publicOf);
