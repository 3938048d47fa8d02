import type { SchemeProblem, SchemeSource } from './scheme.ts';

/** Schemes that sign the URL need it exactly as entered at the provider; the request doesn't tell it. */
export function publicUrlProblems({ settings }: SchemeSource): SchemeProblem[] {
  const { public_url: url } = settings;
  if (url === undefined) {
    return [{ field: '/public_url', message: 'is required: the provider signs the URL that it was given' }];
  }
  return /^https?:\/\//.test(url) && URL.canParse(url)
    ? []
    : [{ field: '/public_url', message: 'must be an http or https URL' }];
}
