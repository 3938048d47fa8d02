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
import type { Context } from '../context.ts';
import { printable, printLine, type Screen, shownTime } from '../output/print.ts';
import type { Arrival } from './listener.ts';

/** The outcome of verifying a request; the codes are the ingress's. */
export type Verdict = 'verified' | 'no secret given' | SignatureRejection;

export interface Trust {
  secrets: readonly string[];
  /** The scheme that signs the requests; without one, Hookline's own signatures are expected. */
  scheme?: { name: SourceScheme; settings: SourceSettings } | undefined;
}

interface Arrived extends Pick<SignedRequest, 'headers' | 'query' | 'nowSeconds'> {
  body: Buffer;
}

export function verifyArrival({ secrets, scheme }: Trust, arrived: Arrived): Verdict {
  if (secrets.length === 0) return 'no secret given';
  const checks = scheme === undefined ? checksOfDelivery(secrets, arrived.headers) : [{ ...scheme, secrets }];
  const verdicts = checks.map((check) => verify(check, arrived));
  const rejection = verdicts.find((verdict) => verdict !== 'valid');
  return verdicts.length === 0 ? 'signature_missing' : (rejection ?? 'verified');
}

type Check = NonNullable<Trust['scheme']> & Pick<Trust, 'secrets'>;

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

export function verify({ name, settings, secrets }: Check, { body, ...request }: Arrived) {
  const begun = signatureSchemes[name].begin({ ...request, secrets, settings: schemeSettings(name, settings) });
  if ('rejection' in begun) return begun.rejection;
  begun.check.update(body);
  return begun.check.finish();
}

type WebhookFacts = ReturnType<typeof factsOf>;

/** The facts of a webhook in Hookline's own headers, or those of the provider of the scheme. */
function factsOf(headers: HeaderValues, scheme: SourceScheme | undefined) {
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
function describeArrival(arrival: Arrival, facts: WebhookFacts, isRepeat: boolean, screen: Screen): string {
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
function arrivalJson(arrival: Arrival, facts: WebhookFacts, isRepeat: boolean): object {
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

/** Ids are some 30 characters: 10 MB. */
const maxKnownIds = 100_000;

/** The ids of what came last. */
export function createKnownIds() {
  const known = new Set<string>();
  return {
    /** @returns whether it is a new one */
    add(id: string): boolean {
      const isNew = !known.has(id);
      known.add(id);
      const [oldest] = known;
      if (known.size > maxKnownIds && oldest !== undefined) known.delete(oldest);
      return isNew;
    },
  };
}

/** Prints requests as they come, and counts them. */
export function createJournal(context: Context, json: boolean) {
  const known = createKnownIds();
  /** `answered`: by status; `timeout` and `reset` count requests without an answer. `repeats`: of webhooks that came before. */
  const summary = { received: 0, verified: 0, not_verified: 0, answered: {} as Record<string, number>, repeats: 0 };
  const print = (facts: object, line: string): void => printLine(context, facts, json, () => line);

  return {
    print,
    add(arrival: Arrival, scheme?: SourceScheme): void {
      const { verdict, answer } = arrival;
      const facts = factsOf(arrival.headers, scheme);
      const isRepeat = facts.webhookId !== undefined && !known.add(facts.webhookId);
      summary.received += 1;
      summary.verified += Number(verdict === 'verified');
      summary.not_verified += Number(verdict !== 'verified' && verdict !== 'no secret given');
      summary.repeats += Number(isRepeat);
      summary.answered[answer] = (summary.answered[answer] ?? 0) + 1;
      print(arrivalJson(arrival, facts, isRepeat), describeArrival(arrival, facts, isRepeat, context.screen));
    },
    /** `3 received; 2 verified; 1 not verified; 1 repeated; answered 2 × 200, 1 × 401` */
    printSummary(): void {
      const { received, verified, not_verified, answered, repeats } = summary;
      const answers = Object.entries(answered).map(([answer, count]) => `${count} × ${answer}`);
      const line = [
        `${received} received`,
        `${verified} verified`,
        `${not_verified} not verified`,
        `${repeats} repeated`,
        ...(answers.length === 0 ? [] : [`answered ${answers.join(', ')}`]),
      ].join('; ');
      print({ kind: 'summary', ...summary }, line);
    },
  };
}
