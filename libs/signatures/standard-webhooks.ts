import {
  type Begun,
  checkCollected,
  type HeaderValues,
  refuseTimestamp,
  type SchemeProblem,
  type SignatureCheck,
  type SignatureScheme,
} from './scheme.ts';
import { base64Key, decodeExactly, generateSecret, isUsableSecret, standardWebhooksKey } from './secret.ts';
import { isPrivateKey, isPublicKey, readPrivateKey, readPublicKey, verifyEd25519 } from './ed25519.ts';
import { maxHeaderLength, plainHeader } from './header-values.ts';
import { beginHmac, type HmacForm } from './hmac-check.ts';
import { formOf, messageOf, signStandardWebhooks, signWithEd25519 } from './sign.ts';

const ownHeader = 'webhook-signature';
const svixHeader = 'svix-signature';
const minKeyBytes = 16;
// A rotation sends two signatures; many more are an attempt to keep us busy.
const maxSignatures = 10;
const ed25519Bytes = 64;

/**
 * Standard Webhooks 1.0: over `<id>.<timestamp>.<body>`, `v1,<base64>` is HMAC-SHA256 keyed with the base64 behind `whsec_`,
 * `v1a,<base64>` Ed25519 for the public key `whpk_<base64>`; several are separated by spaces. The three headers have one prefix,
 * `webhook-` or Svix's own `svix-`; a source's `signature_header` such as `x-brand-signature` sets another.
 */
export const standardWebhooks: SignatureScheme = {
  signatureHeader: ownHeader,
  signedHeaders({ headers, settings }) {
    const { id, timestamp } = namesFor(headers, settings.signatureHeader);
    return [id, timestamp];
  },
  identifyBy: ['header:webhook-id', 'header:svix-id'],
  typeBy: ['/type'],
  problemsOf: ({ settings, secret, purpose = 'verify' }) => [
    ...headerProblems(settings.signature_header),
    ...secretProblems(secret, purpose),
  ],
  generateSecret,

  begin(request) {
    const { headers, secrets, settings } = request;
    const names = namesFor(headers, settings.signatureHeader);
    const given = headers[names.signature];
    if (given === undefined) return { rejection: 'signature_missing' };
    const signatures = typeof given === 'string' ? parse(given) : undefined;
    const id = plainHeader(headers, names.id);
    const timestamp = plainHeader(headers, names.timestamp);
    if (signatures === undefined || id === undefined || timestamp === undefined || isAmbiguous(headers, id)) {
      return { rejection: 'signature_malformed' };
    }
    const rejection = refuseTimestamp(timestamp, request);
    if (rejection !== undefined) return { rejection };
    const form = formOf(id, timestamp);
    const usable = secrets.filter(isUsableSecret);
    const keys = usable.filter((secret) => !isPublicKey(secret)).map(standardWebhooksKey);
    return either(beginHmac(form, keys, signatures.v1), beginEd25519(form, usable, signatures.v1a));
  },

  sign({ secret, timestampSeconds, body, id, settings }) {
    const names = namesOf(settings.signatureHeader);
    const message = { id, timestampSeconds, body };
    const key = readPrivateKey(secret);
    const signature =
      key === undefined ? signStandardWebhooks({ ...message, secret }) : signWithEd25519({ ...message, key });
    return { [names.id]: id, [names.timestamp]: String(timestampSeconds), [names.signature]: signature };
  },
};

interface Names {
  id: string;
  timestamp: string;
  signature: string;
}

function namesOf(signature: string): Names {
  const prefix = signature.replace(/signature$/, '');
  return { id: `${prefix}id`, timestamp: `${prefix}timestamp`, signature };
}

const namesFor = (headers: HeaderValues, signatureHeader: string): Names =>
  namesOf(
    signatureHeader === ownHeader && headers[ownHeader] === undefined && headers[svixHeader] !== undefined
      ? svixHeader
      : signatureHeader,
  );

/** The first of these identifies the event: an unsigned id beside the signed one would make an old webhook new. */
function isAmbiguous(headers: HeaderValues, signedId: string): boolean {
  const identifying = headers['webhook-id'] ?? headers['svix-id'];
  return identifying !== undefined && identifying !== signedId;
}

function parse(header: string): { v1: string[]; v1a: string[] } | undefined {
  if (header.length > maxHeaderLength) return undefined;
  const parts = header.split(' ', maxSignatures + 1);
  const of = (version: string): string[] =>
    parts.filter((part) => part.startsWith(`${version},`)).map((part) => part.slice(version.length + 1));
  const signatures = { v1: of('v1'), v1a: of('v1a') };
  const isKnown = signatures.v1.length + signatures.v1a.length > 0;
  return parts.length <= maxSignatures && isKnown ? signatures : undefined;
}

function beginEd25519(form: HmacForm, secrets: readonly string[], given: readonly string[]): Begun {
  const keys = secrets.map(readPublicKey).filter((key) => key !== undefined);
  const signatures = given
    .map((text) => decodeExactly(text, 'base64'))
    .filter((signature) => signature?.length === ed25519Bytes)
    .filter((signature) => signature !== undefined);
  if (keys.length === 0 || signatures.length === 0) return { rejection: 'signature_invalid' };
  return {
    check: checkCollected((body) => {
      const message = messageOf(form, body);
      const fits = keys.some((key) => signatures.some((signature) => verifyEd25519(key, message, signature)));
      return fits ? 'valid' : 'signature_invalid';
    }),
  };
}

/** Valid if either is: a sender that migrates sends both kinds. */
function either(...begun: readonly Begun[]): Begun {
  const checks = begun.flatMap((one): SignatureCheck[] => ('check' in one ? [one.check] : []));
  if (checks.length === 0) return { rejection: 'signature_invalid' };
  return {
    check: {
      update(chunk) {
        for (const check of checks) check.update(chunk);
      },
      finish: () =>
        checks.map((check) => check.finish()).includes('valid') ? ('valid' as const) : 'signature_invalid',
    },
  };
}

const headerProblems = (header: string | undefined): SchemeProblem[] =>
  header === undefined || /-signature$/i.test(header)
    ? []
    : [
        {
          field: '/signature_header',
          message: 'must end in -signature, since the other two headers are named after it',
        },
      ];

function secretProblems(secret: string, purpose: 'verify' | 'sign'): SchemeProblem[] {
  const [wanted, other] = purpose === 'verify' ? ([whpk, whsk] as const) : ([whsk, whpk] as const);
  const problem = (message: string): SchemeProblem[] => [{ field: '/secret', message }];
  if (other.isOne(secret)) return problem(`must be ${wanted.name}: the other key of the pair can't ${purpose}`);
  if (wanted.isOne(secret)) return wanted.read(secret) === undefined ? problem(`must be ${wanted.name}`) : [];
  const isKey = (base64Key(secret)?.length ?? 0) >= minKeyBytes;
  return isKey ? [] : problem(`must be whsec_ and the base64 of ${minKeyBytes} bytes or more, or ${wanted.name}`);
}

const whpk = { name: 'whpk_ and the base64 of an Ed25519 public key', isOne: isPublicKey, read: readPublicKey };
const whsk = { name: 'whsk_ and the base64 of an Ed25519 private key', isOne: isPrivateKey, read: readPrivateKey };
