import type { EventTypeAlias } from '#lib/api-contract';
import type { HttpAnswer } from './transport.ts';

/** Problem details of RFC 9457, with the API's own members. Every member but `code` may be missing: proxies write some too. */
export interface ProblemDetails {
  code: string;
  title?: string;
  status?: number;
  detail?: string;
  /** The fields that are wrong: names of parameters, or JSON pointers into the body. */
  errors?: { field: string; message: string }[];
  /** How many more there are than `errors` lists. */
  more_errors?: number;
}

/** Why a call has no value: refused by the API, asked for by a former name, answered by something that is not the API, or not answered. */
export type ApiFailure =
  | { kind: 'problem'; status: number; problem: ProblemDetails; retryAfter: string | undefined }
  | { kind: 'alias'; status: 301; alias: EventTypeAlias }
  | { kind: 'unexpected_answer'; status: number; body: string }
  | { kind: 'no_answer'; reason: string };

export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly failure: ApiFailure;

  constructor(failure: ApiFailure) {
    super(describe(failure));
    this.failure = failure;
  }
}

function describe(failure: ApiFailure): string {
  switch (failure.kind) {
    case 'no_answer':
      return failure.reason;
    case 'unexpected_answer':
      return `answered ${failure.status}`;
    case 'alias':
      return `answered ${failure.status}: ${failure.alias.name} is an alias of ${failure.alias.target}`;
    case 'problem': {
      const { status, problem } = failure;
      return `answered ${status} ${problem.code}${problem.detail === undefined ? '' : `: ${problem.detail}`}`;
    }
  }
}

/** The failure that an answer other than a 2xx tells of. */
export function failureOf(
  { status, header, bytes }: HttpAnswer,
  parse: (text: string) => unknown = JSON.parse,
): Exclude<ApiFailure, { kind: 'no_answer' }> {
  const body = bytes.toString();
  const value = tryParse(body, parse)?.value;
  if (isProblem(value)) return { kind: 'problem', status, problem: value, retryAfter: header('retry-after') };
  if (status === 301 && isAlias(value)) return { kind: 'alias', status, alias: value };
  return { kind: 'unexpected_answer', status, body };
}

/** Undefined: no JSON. An empty text is a value: none. */
export function tryParse(text: string, parse: (text: string) => unknown): { value: unknown } | undefined {
  if (text === '') return { value: undefined };
  try {
    return { value: parse(text) };
  } catch {
    return undefined;
  }
}

const isProblem = (value: unknown): value is ProblemDetails => hasMember(value, 'code');
const isAlias = (value: unknown): value is EventTypeAlias => hasMember(value, 'target');

const hasMember = (value: unknown, name: string): boolean =>
  typeof value === 'object' && value !== null && name in value;
