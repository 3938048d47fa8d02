import type { Attempt } from '../../routes/compare/side.ts';

/** A request and its answer as lines, as they go over the wire. */
export function attemptLines({ request, outcome, http_status: status, detail, ...answer }: Attempt): readonly string[] {
  const { response_headers: headers, response_excerpt: excerpt, response_excerpt_encoding: encoding } = answer;
  return [
    ...(request === null
      ? ['(nothing was sent)']
      : [`${request.method} ${request.url}`, ...headerLines(request.headers)]),
    '',
    `outcome: ${outcome.replaceAll('_', ' ')}${status === null ? '' : `, status ${status}`}`,
    ...(detail === null ? [] : [`detail: ${detail}`]),
    ...(headers === null ? ['(no response)'] : headerLines(headers)),
    ...(excerpt === null || excerpt === ''
      ? []
      : ['', ...(encoding === 'base64' ? ['(base64)'] : []), ...excerpt.split('\n')]),
  ];
}

const headerLines = (headers: Readonly<Record<string, string>>): string[] =>
  Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
