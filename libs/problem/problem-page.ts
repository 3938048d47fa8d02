import { type ProblemCode, problemCodes } from './problem.ts';

/** Explanations for a person who followed a link in a browser. */
const words: Partial<Record<ProblemCode, string>> = {
  not_found:
    'Nothing exists at this address, and nothing is known to have existed here. Check that the address is complete and spelt correctly.',
  gone: 'The resource at this address was deleted, and is gone for good.',
  method_not_allowed: 'Programs send requests to this address. It cannot be opened in a browser.',
};

/** The problem as a self-contained HTML page in UTF-8; undefined for problems that only programs meet. */
export function problemPage(code: ProblemCode): string | undefined {
  const text = words[code];
  if (text === undefined) return undefined;
  const { status, title } = problemCodes[code];
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${status} ${title}</title>
<style>body { max-width: 36em; margin: 15vh auto; padding: 0 1em; font: 1rem/1.6 system-ui, sans-serif; color-scheme: light dark }</style>
<h1>${status}</h1>
<p>${title}.</p>
<p>${text}</p>
</html>
`;
}

/** Whether an Accept header (RFC 9110, section 12.5.1) prefers HTML to JSON. Clients that accept anything are programs, and get JSON. */
export function prefersHtml(accept: string | undefined): boolean {
  const weights = new Map<string, number>();
  for (const range of accept?.split(',') ?? []) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1';
    weights.set(type, /^[01](?:\.\d{0,3})?$/.test(weight) ? Number(weight) : 0);
  }
  const weightOf = (type: string): number => weights.get(type) ?? 0;
  const html = weightOf('text/html');
  return html > 0 && html >= Math.max(weightOf('application/json'), weightOf('application/problem+json'));
}
