/**
 * The API as pages use it: with the credential and the tenant of the request, within its time limit, and noting what was asked, which the
 * page shows. A page that is read can only read; the handler of a form gets what changes something too, with the form's Idempotency-Key.
 */
import {
  ApiError,
  type Asked,
  type CallName,
  createClient,
  failureOf,
  type GivenOf,
  type HttpAnswer,
  type HttpResult,
  type ItemOf,
  type ListName,
  type Page,
  type ProblemDetails,
  type Transport,
  type Value,
} from '#client';
import { parseExact } from '#lib/exact-json';
import type { Clock } from '#lib/runtime';

export type { Asked } from '#client';

type ReadName = Extract<CallName, `GET ${string}`>;
type PostName = Extract<CallName, `POST ${string}`>;
type ChangeName = Exclude<CallName, ReadName>;

/** `field`: the name of the parameter, or a JSON pointer into the body. */
export type FieldError = NonNullable<ProblemDetails['errors']>[number];

/** A page of a list. Invalid parameters are a value, since the page shows its form again. */
export type Listed<T> = ({ ok: true } & Page<T>) | { ok: false; errors: readonly FieldError[] };

export interface ReadApi {
  /** @throws ApiError for every other status than 2xx, which becomes the page of that status */
  call<Name extends ReadName>(name: Name, ...given: GivenOf<Name>): Promise<Value<Name>>;
  /** The same, without throwing. */
  ask<Name extends ReadName>(name: Name, ...given: GivenOf<Name>): Promise<Asked<Value<Name>>>;
  /** @throws ApiError for other refusals than of parameters */
  list<Name extends ListName & ReadName>(name: Name, ...given: GivenOf<Name>): Promise<Listed<ItemOf<Name>>>;
  /** The value beside its text. @throws ApiError */
  withText<Name extends ReadName>(name: Name, ...given: GivenOf<Name>): Promise<{ value: Value<Name>; text: string }>;
  /** The body as it came, with its headers. @throws ApiError */
  bytes<Name extends ReadName>(name: Name, ...given: GivenOf<Name>): Promise<HttpAnswer>;
  /** A POST that changes nothing: a dry run, a search. */
  query<Name extends PostName>(name: Name, ...given: GivenOf<Name>): Promise<Asked<Value<Name>>>;
}

export interface WriteApi extends ReadApi {
  /** With the Idempotency-Key of the form: sent again, it has the effect once. */
  change<Name extends ChangeName>(name: Name, ...given: GivenOf<Name>): Promise<Asked<Value<Name>>>;
}

export interface ApiAccess {
  transport: Transport;
  clock: Clock;
  credential: string | undefined;
  /** The address of the browser: what needs no credential is counted by it. */
  clientAddress: string;
  /** For the operator, who may choose one; `*`: all. A tenant's own session names none. */
  tenant?: string | undefined;
  /** Empty: the request is not traced. */
  traceparent: string;
  /** The key that the form brought; only with one may something be changed. */
  idempotencyKey?: string;
  newKey(): string;
  /** Each request is added, as `GET /v1/…`. */
  asked: string[];
  /** Aborts when the browser has left: calls that change nothing end then. */
  left?: AbortSignal | undefined;
}

/** Requests of a double click wait for the first one. */
const inProgressWaitMs = 250;
const inProgressLimitMs = 4_000;

export function createConsoleApi(access: ApiAccess): WriteApi {
  const { clock, credential, tenant, traceparent, idempotencyKey, asked } = access;
  const transport: Transport = (request) => {
    const line = `${request.method} ${request.path}`;
    if (!asked.includes(line)) asked.push(line);
    return access.transport(request);
  };
  const common = {
    transport,
    credential,
    tenant,
    headers: {
      ...(credential === undefined && { 'x-forwarded-for': access.clientAddress }),
      ...(traceparent !== '' && { traceparent }),
    },
    parse: (text: string): unknown => parseExact(text, 'whole'),
  };
  let sent = 0;
  const reading = createClient({ ...common, newKey: access.newKey, signal: access.left });
  const changing = createClient({
    ...common,
    newKey() {
      sent += 1;
      return sent === 1 ? (idempotencyKey ?? '') : `${idempotencyKey}.${sent}`;
    },
    resend: (send) => untilDone(send, clock),
  });

  async function list<Name extends ListName>(name: Name, ...given: GivenOf<Name>): Promise<Listed<ItemOf<Name>>> {
    try {
      return { ok: true, ...(await reading.page(name, ...given)) };
    } catch (error) {
      const failure = error instanceof ApiError ? error.failure : undefined;
      if (failure?.kind !== 'problem' || failure.status !== 400) throw error;
      const { errors, detail = '' } = failure.problem;
      return { ok: false, errors: errors ?? [{ field: '', message: detail }] };
    }
  }
  return {
    ...reading,
    query: reading.ask,
    list,
    async change(name, ...given) {
      if (idempotencyKey === undefined) throw new Error('only the handler of a form changes something');
      return changing.ask(name, ...given);
    },
  };
}

/** The value of an answer that a page cannot be without. @throws ApiError */
export function valueOf<T>(answer: Asked<T>): T {
  if (!answer.ok) throw new ApiError(answer.failure);
  return answer.value;
}

/** A second click on the same button finds the first one's request running, and gets its answer. */
async function untilDone(send: () => Promise<HttpResult>, clock: Clock): Promise<HttpResult> {
  const untilMs = clock.monotonicMs() + inProgressLimitMs;
  for (;;) {
    const result = await send();
    if (!isInProgress(result) || clock.monotonicMs() >= untilMs) return result;
    await clock.sleep(inProgressWaitMs);
  }
}

function isInProgress(result: HttpResult): boolean {
  if ('noAnswer' in result || result.status !== 409) return false;
  const failure = failureOf(result);
  return failure.kind === 'problem' && failure.problem.code === 'idempotency_in_progress';
}
