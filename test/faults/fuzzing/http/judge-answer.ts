import { type ProblemCode, problemCodes, problemContentType } from '#lib/problem';
import type { Finding } from '../findings.ts';
import type { Kind } from './kinds/kind.ts';
import type { Exchange, RawAnswer } from './raw-request.ts';
import type { FuzzedRoute } from './routes.ts';

interface Asked {
  route: FuzzedRoute;
  kind: Kind;
  caseName: string;
  /** As it was sent, cut. */
  sent: string;
}

/** The findings about one request's outcome; none if all is well. */
export function judgeExchange(asked: Asked, { answers, connection, tookMs }: Exchange): Finding[] {
  const says = `${asked.caseName}: ${JSON.stringify(asked.sent)}`;
  if (answers.length > 0)
    return answers.flatMap((answer) => {
      const [finding, why = ''] = judgeAnswer(asked, answer) ?? [];
      const given = `→ ${answer.status} ${answer.body.toString('utf8', 0, 300)}`;
      return finding === undefined ? [] : [{ finding, says: `${why}${says}\n${given}` }];
    });
  if (asked.kind.isCut && connection === 'closed') return [];
  return [{ finding: 'no-answer', says: `${says}: ${connection} after ${tookMs.toFixed()} ms` }];
}

type Judged = [finding: Finding['finding'], why?: string] | undefined;

function judgeAnswer({ route, kind, sent }: Asked, { status, headers, body }: RawAnswer): Judged {
  if (status >= 500 && status !== 503) return ['server-error'];
  const right = kind.code?.on(route) ? kind.code.code : undefined;
  if (right !== undefined && status !== 503 && !isCode(right, status, body)) return ['not-refused'];
  // Probes look at the status alone.
  if (status < 400 || route.service === 'admin') return undefined;
  const type = headers.get('content-type') ?? '';
  // People who ask with a browser get a page; HEAD has no body to look at.
  if (route.method === 'HEAD' || sent.startsWith('HEAD ')) return undefined;
  if (type.startsWith('text/html')) return /accept:.*html/i.test(sent) ? undefined : ['not-a-problem'];
  const code = codeOf(type, status, body);
  if (code === undefined) return ['not-a-problem'];
  if (status === 401 && !headers.has('www-authenticate')) return ['not-a-problem', 'no WWW-Authenticate: '];
  if (status === 503 && !headers.has('retry-after')) return ['not-a-problem', 'no Retry-After: '];
  const isDocumented = kind.isOther || route.codes === undefined || route.codes.has(code);
  return isDocumented ? undefined : ['undocumented'];
}

/** HEAD has no body to tell the code. */
const isCode = (code: ProblemCode, status: number, body: Buffer): boolean =>
  status === problemCodes[code].status && (body.length === 0 || body.includes(`"code":"${code}"`));

/** Undefined where it is no problem of the documented shape. */
function codeOf(type: string, status: number, body: Buffer): string | undefined {
  if (type !== problemContentType) return undefined;
  try {
    const problem = JSON.parse(body.toString()) as Record<string, unknown>;
    const [code, known] = Object.entries(problemCodes).find(([each]) => each === problem.code) ?? [];
    const fits =
      known?.status === status &&
      problem.status === status &&
      problem.title === known.title &&
      problem.type === `urn:hookline:problem:${code}`;
    return fits ? code : undefined;
  } catch {
    return undefined;
  }
}
