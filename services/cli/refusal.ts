import { CommandFailure } from './command.ts';
import type { HttpAnswer } from './http.ts';

interface ProblemJson {
  title?: string;
  code?: string;
  detail?: string;
  errors?: { field: string; message: string }[];
}

/** problem+json, for a person: what is wrong, then each field on a line of its own. */
export function refusal({ status, body }: HttpAnswer): CommandFailure {
  const problem = readProblem(body);
  if (problem === undefined) return new CommandFailure(1, `answered ${status}: ${body.slice(0, 500)}`);
  const { title = 'refused', code = String(status), detail, errors = [] } = problem;
  const lines = errors.map(({ field, message }) => `\n  ${field} ${message}`);
  const more = lines.length > 0 ? lines.join('') : detail === undefined ? '' : `: ${detail}`;
  return new CommandFailure(1, `${title} (${status} ${code})${more}`, problem);
}

/** Something in between, such as a proxy, answers in its own way. */
function readProblem(body: string): ProblemJson | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null && 'code' in value ? (value as ProblemJson) : undefined;
  } catch {
    return undefined;
  }
}
