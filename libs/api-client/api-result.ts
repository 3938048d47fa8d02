import { parseExact } from '#lib/exact-json';
import type { HttpAnswer } from './send-request.ts';

/** Problem details of RFC 9457, with the API's own members. Every member but `code` may be missing: proxies write some too. */
interface ProblemDetails {
  code: string;
  title?: string;
  status?: number;
  detail?: string;
  /** The fields that are wrong, by their JSON pointers. */
  errors?: { field: string; message: string }[];
  /** How many more there are than `errors` lists. */
  more_errors?: number;
}

/** Why a request has no value: refused by the API, answered by something that is not the API, or not answered. */
export type ApiFailure =
  | { kind: 'problem'; status: number; problem: ProblemDetails; retryAfter: string | undefined }
  | { kind: 'unexpected_answer'; status: number; body: string }
  | { kind: 'no_answer'; url: string; reason: string };

export type ApiResult<T> = { ok: true; value: T } | { ok: false; failure: ApiFailure };

export function failureOf(
  answer: Pick<HttpAnswer, 'status' | 'header' | 'body'>,
): Exclude<ApiFailure, { kind: 'no_answer' }> {
  const { status, body } = answer;
  const problem = parse(body);
  return isProblem(problem?.value)
    ? { kind: 'problem', status, problem: problem.value, retryAfter: answer.header('retry-after') }
    : { kind: 'unexpected_answer', status, body };
}

/** The value that a 2xx holds; undefined for an empty body. A page that a proxy answered with is a failure, not a value. */
export function valueIn<T>(answer: HttpAnswer): ApiResult<T> {
  const { status, body } = answer;
  const parsed = body === '' ? { value: undefined } : parse(body);
  if (parsed === undefined) return { ok: false, failure: { kind: 'unexpected_answer', status, body } };
  return { ok: true, value: parsed.value as T };
}

const isProblem = (value: unknown): value is ProblemDetails =>
  typeof value === 'object' && value !== null && 'code' in value;

function parse(text: string): { value: unknown } | undefined {
  try {
    return { value: parseExact(text, 'whole') };
  } catch {
    return undefined;
  }
}
