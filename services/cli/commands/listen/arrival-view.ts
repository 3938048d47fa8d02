import { isUtf8 } from 'node:buffer';
import type { SourceScheme } from '#lib/contract';
import { type HeaderValues, signatureSchemes } from '#lib/signatures';
import { printable } from '../../output/print.ts';
import type { Screen } from '../../output/screen.ts';
import { shownTime } from '../../output/shown-time.ts';
import type { Arrival } from './listener.ts';

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
