/** A request's body and headers, as a person pastes them into a form. */
import type { FieldError } from '../../api-calls/console-api.ts';

/** Browsers send line breaks as CRLF, however they were pasted: nearly all bodies have LF. */
export const asSent = (text: string | null): string => (text ?? '').replaceAll('\r\n', '\n');

type Headers = Record<string, string | string[]>;

/** Lines of `Name: value`. A request line before them is left out. */
export function readHeaders(text: string): { headers: Headers } | { errors: readonly FieldError[] } {
  const headers: Headers = {};
  const wrong: number[] = [];
  for (const [index, line] of asSent(text).split('\n').entries()) {
    if (line.trim() === '' || /^[A-Z]+ \S+ HTTP\/[\d.]+\s*$/.test(line)) continue;
    const [, name, value = ''] = /^\s*([^\s:]+)\s*:[ \t]*(.*?)[ \t]*$/.exec(line) ?? [];
    if (name === undefined) wrong.push(index + 1);
    else {
      const key = name.toLowerCase();
      const before = headers[key];
      headers[key] = before === undefined ? value : [before, value].flat();
    }
  }
  if (wrong.length === 0) return { headers };
  return {
    errors: [
      {
        field: '/headers',
        message: `must have one header a line, as Name: value; see line ${wrong.join(', ')}`,
      },
    ],
  };
}
