import { type ProblemCode, problemCodes } from './problem.ts';

/** Problems met by following a link, with words for the person who did. */
const words: Partial<Record<ProblemCode, string>> = {
  not_found:
    'Nothing is at this address, and as far as is known nothing ever was. Is it complete, and spelt as it was given?',
  gone: 'Something was at this address. It was deleted, and does not come back.',
  method_not_allowed: 'This address is in use, but it is for programs to send to, not for a browser to open.',
};

/** The problem as a page of HTML, UTF-8, that loads nothing; undefined for problems that only programs meet. */
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

/** Whether an Accept header (RFC 9110, section 12.5.1) names HTML, and no form of JSON before it: what asks for anything is a program. */
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
