import { type ProblemCode, problemCodes, problemContentType } from '#lib/problem';
import type { Finding } from '../findings.ts';
import type { Exchange, RawAnswer } from './raw-request.ts';
import { type FuzzedRoute, isAdmin, nameOf } from './routes.ts';

interface Asked {
  route: FuzzedRoute;
  kind: string;
  /** As it was sent, cut. */
  sent: string;
}

/** An incomplete request may be answered by the end of its connection. */
export const isBroken = (kind: string): boolean =>
  /^(garbage|content length|chunks broken|transfer encoding|length and chunked|header repeated|header missing)/.test(
    kind,
  );

/** The code that a kind with only one right end on a route is refused with. */
function rightCode(kind: string, { service, method, body }: FuzzedRoute): ProblemCode | undefined {
  if (kind.startsWith('framing ') && (service === 'api' || service === 'ingress')) return 'validation_failed';
  if (kind === 'body unstorable text' && service === 'api' && body !== undefined) return 'validation_failed';
  if (service !== 'ingress' || method !== 'POST') return undefined;
  if (kind === 'content type long') return 'validation_failed';
  return kind === 'signature empty' ? 'signature_malformed' : undefined;
}

/** The findings about one request's outcome; none if all is well. */
export function judgeExchange(asked: Asked, { answers, connection, tookMs }: Exchange): Finding[] {
  const [answer] = answers;
  if (answer === undefined) {
    if (isBroken(asked.kind) && connection === 'closed') return [];
    return [{ finding: 'no-answer', says: `${describe(asked)}: ${connection} after ${tookMs.toFixed()} ms` }];
  }
  return answers.flatMap((each) => judgeAnswer(asked, each));
}

function judgeAnswer(asked: Asked, { status, headers, body }: RawAnswer): Finding[] {
  const says = `${describe(asked)}\n→ ${status} ${body.toString('utf8', 0, 300)}`;
  if (status >= 500 && status !== 503) return [{ finding: 'server-error', says }];
  const right = rightCode(asked.kind, asked.route);
  if (right !== undefined && status !== 503 && !isCode(right, status, body)) return [{ finding: 'not-refused', says }];
  // Probes look at the status alone.
  if (status < 400 || isAdmin(asked.route)) return [];
  const type = headers.get('content-type') ?? '';
  // People who ask with a browser get a page; HEAD has no body to look at.
  if (asked.route.method === 'HEAD' || asked.sent.startsWith('HEAD ')) return [];
  if (type.startsWith('text/html'))
    return /accept:.*html/i.test(asked.sent) ? [] : [{ finding: 'not-a-problem', says }];
  const code = codeOf(type, status, body);
  if (code === undefined) return [{ finding: 'not-a-problem', says }];
  if (status === 401 && !headers.has('www-authenticate'))
    return [{ finding: 'not-a-problem', says: `no WWW-Authenticate: ${says}` }];
  if (status === 503 && !headers.has('retry-after'))
    return [{ finding: 'not-a-problem', says: `no Retry-After: ${says}` }];
  const { codes } = asked.route;
  // Another path or method may be another operation, or none.
  const isOfRoute = !/^(path|method|garbage|headers? )/.test(asked.kind);
  return isOfRoute && codes !== undefined && !codes.has(code) ? [{ finding: 'undocumented', says }] : [];
}

/** HEAD has no body to tell the code. */
const isCode = (code: ProblemCode, status: number, body: Buffer): boolean =>
  status === problemCodes[code].status && (body.length === 0 || body.includes(`"code":"${code}"`));

/** Undefined where it is no problem of the documented shape. */
function codeOf(type: string, status: number, body: Buffer): string | undefined {
  if (type !== problemContentType) return undefined;
  try {
    const problem = JSON.parse(body.toString()) as Record<string, unknown>;
    const known = Object.entries(problemCodes).find(([code]) => code === problem.code);
    const fits =
      known !== undefined &&
      known[1].status === status &&
      problem.status === status &&
      problem.title === known[1].title &&
      problem.type === `urn:hookline:problem:${known[0]}`;
    return fits ? known[0] : undefined;
  } catch {
    return undefined;
  }
}

const describe = ({ route, kind, sent }: Asked): string => `${nameOf(route)}, ${kind}: ${JSON.stringify(sent)}`;
