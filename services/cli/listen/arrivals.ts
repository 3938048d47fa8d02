import { isUtf8 } from 'node:buffer';
import type { SourceScheme, SourceSettings } from '#lib/contract';
import {
  type HeaderValues,
  isPublicKey,
  schemeSettings,
  type SignatureRejection,
  signatureSchemes,
  type SignedRequest,
} from '#lib/signatures';
import { printable, type Screen, shownTime } from '../output/print.ts';
import type { Arrival } from './listener.ts';

/** The outcome of verifying a request; the codes are the ingress's. */
export type Verdict = 'verified' | 'no secret given' | SignatureRejection;

export interface Trust {
  secrets: readonly string[];
  /** The scheme that signs the requests; without one, Hookline's own signatures are expected. */
  scheme?: { name: SourceScheme; settings: SourceSettings } | undefined;
}

interface Arrived {
  headers: HeaderValues;
  query: string;
  body: Buffer;
  nowSeconds: number;
}

export function verifyArrival({ secrets, scheme }: Trust, arrived: Arrived): Verdict {
  if (secrets.length === 0) return 'no secret given';
  const checks = scheme === undefined ? checksOfDelivery(secrets, arrived.headers) : [{ ...scheme, secrets }];
  const verdicts = checks.map((check) => verify(check, arrived));
  const rejection = verdicts.find((verdict) => verdict !== 'valid');
  return verdicts.length === 0 ? 'signature_missing' : (rejection ?? 'verified');
}

interface Check {
  name: SourceScheme;
  settings: SourceSettings;
  secrets: readonly string[];
}

/**
 * A delivery is signed in two ways, with each secret, and maybe with a key pair: every signature that is present must be valid, since a
 * receiver may check any of them. If a public key was given, its signature must be present.
 */
function checksOfDelivery(given: readonly string[], headers: HeaderValues): Check[] {
  const keys = given.filter(isPublicKey);
  const secrets = given.filter((secret) => !isPublicKey(secret));
  const isSigned = (name: SourceScheme): boolean => headers[signatureSchemes[name].signatureHeader] !== undefined;
  return [
    ...(['hookline', 'standard-webhooks'] as const).filter(isSigned).map((name) => ({ name, settings: {}, secrets })),
    { name: 'standard-webhooks' as const, settings: {}, secrets: keys },
  ].filter((check) => check.secrets.length > 0);
}

function verify({ name, settings, secrets }: Check, { headers, query, body, nowSeconds }: Arrived) {
  const request: SignedRequest = { headers, secrets, nowSeconds, query, settings: schemeSettings(name, settings) };
  const begun = signatureSchemes[name].begin(request);
  if ('rejection' in begun) return begun.rejection;
  begun.check.update(body);
  return begun.check.finish();
}

/** The facts of a webhook in the headers of its request. */
export interface WebhookFacts {
  type: string | undefined;
  webhookId: string | undefined;
  attempt: string | undefined;
}

/** Reads Hookline's own headers, or those of the provider of the scheme. */
export function factsOf(headers: HeaderValues, scheme: SourceScheme | undefined): WebhookFacts {
  const { identifyBy = [], typeBy = [] } = scheme === undefined ? {} : signatureSchemes[scheme];
  const first = (names: readonly string[]): string | undefined =>
    names.map((name) => headers[name]).find((value) => typeof value === 'string');
  return {
    type: first(['hookline-event-type', ...headerNames(typeBy)]),
    webhookId: first(['webhook-id', ...headerNames(identifyBy)]),
    attempt: first(['hookline-attempt']),
  };
}

const headerNames = (places: readonly string[]): string[] =>
  places.flatMap((place) => /^header:(.+)$/.exec(place)?.[1]?.toLowerCase() ?? []);

const maxExcerptLength = 200;

/** A line, and below it the beginning of the body. */
export function describeArrival(arrival: Arrival, facts: WebhookFacts, isRepeat: boolean, screen: Screen): string {
  const { atMs, method, path, bytes, verdict, answer, senderLeft, content } = arrival;
  const { type, webhookId, attempt } = facts;
  const parts = [
    shownTime(new Date(atMs).toISOString(), screen, { precise: true }),
    `${method} ${path}`,
    type ?? '-',
    webhookId ?? '-',
    ...(attempt === undefined ? [] : [`attempt ${attempt}`]),
    `${bytes} bytes`,
    describeVerdict(verdict),
    ...(isRepeat ? ['seen before'] : []),
    `→ ${describeAnswer(answer)}${senderLeft ? ', too late: the sender had disconnected' : ''}`,
  ];
  const excerpt = excerptOf(content);
  return `${parts.map(printable).join('  ')}${excerpt === '' ? '' : `\n  ${excerpt}`}`;
}

/** Everything, for programs. */
export function arrivalJson(arrival: Arrival, facts: WebhookFacts, isRepeat: boolean): object {
  const { atMs, method, path, bytes, verdict, answer, senderLeft, headers, body } = arrival;
  const encoding = isUtf8(body) ? 'utf8' : 'base64';
  return {
    kind: 'request',
    at: new Date(atMs).toISOString(),
    method,
    path,
    type: facts.type ?? null,
    webhook_id: facts.webhookId ?? null,
    attempt: facts.attempt ?? null,
    bytes,
    verified: verdict === 'no secret given' ? null : verdict === 'verified',
    ...(verdict !== 'verified' && verdict !== 'no secret given' && { code: verdict }),
    repeat: isRepeat,
    answered: answer,
    sender_left: senderLeft,
    headers,
    body: body.toString(encoding),
    body_encoding: encoding === 'utf8' ? 'text' : 'base64',
  };
}

const describeVerdict = (verdict: Arrival['verdict']): string =>
  verdict === 'verified' || verdict === 'no secret given' ? verdict : `not verified: ${verdict}`;

function describeAnswer(answer: Arrival['answer']): string {
  if (answer === 'timeout') return 'no answer';
  return answer === 'reset' ? 'connection reset' : String(answer);
}

function excerptOf(content: Buffer): string {
  const text = isUtf8(content) ? printable(content.toString()) : `base64 ${content.toString('base64')}`;
  return text.length > maxExcerptLength ? `${text.slice(0, maxExcerptLength)}…` : text;
}

export interface Summary {
  received: number;
  verified: number;
  not_verified: number;
  /** By status; `timeout` and `reset` count requests without an answer. */
  answered: Readonly<Record<string, number>>;
  repeats: number;
}

export interface Tally {
  /** Whether a request of this webhook was received before. */
  add(arrival: Pick<Arrival, 'verdict' | 'answer'>, webhookId: string | undefined): { isRepeat: boolean };
  summary(): Summary;
}

/** Ids are some 30 characters: 10 MB. */
const maxKnownIds = 100_000;

export function createTally(): Tally {
  const known = new Set<string>();
  const answered = new Map<string, number>();
  let received = 0;
  let verified = 0;
  let unverified = 0;
  let repeats = 0;

  const remember = (id: string): void => {
    known.add(id);
    const [oldest] = known;
    if (known.size > maxKnownIds && oldest !== undefined) known.delete(oldest);
  };

  return {
    add({ verdict, answer }, webhookId) {
      const isRepeat = webhookId !== undefined && known.has(webhookId);
      if (webhookId !== undefined) remember(webhookId);
      received += 1;
      verified += Number(verdict === 'verified');
      unverified += Number(verdict !== 'verified' && verdict !== 'no secret given');
      repeats += Number(isRepeat);
      answered.set(String(answer), (answered.get(String(answer)) ?? 0) + 1);
      return { isRepeat };
    },
    summary: () => ({
      received,
      verified,
      not_verified: unverified,
      answered: Object.fromEntries(answered),
      repeats,
    }),
  };
}

/** `3 received; 2 verified; 1 not verified; 1 repeated; answered 2 × 200, 1 × 401` */
export function describeSummary({ received, verified, not_verified, answered, repeats }: Summary): string {
  const answers = Object.entries(answered).map(([answer, count]) => `${count} × ${answer}`);
  return [
    `${received} received`,
    `${verified} verified`,
    `${not_verified} not verified`,
    `${repeats} repeated`,
    ...(answers.length === 0 ? [] : [`answered ${answers.join(', ')}`]),
  ].join('; ');
}
