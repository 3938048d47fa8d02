/** A path below `/v1`. Its values are encoded, so that no id can lead elsewhere: path`/endpoints/${id}/health` */
export const path = (strings: TemplateStringsArray, ...values: readonly string[]): string =>
  strings.reduce((whole, part, index) => whole + encodeURIComponent(values[index - 1] ?? '') + part);

/** The path with these parameters, beside those that it has; empty and absent ones are left out. */
export function withQuery(
  pathname: string,
  parameters: URLSearchParams | Readonly<Record<string, string | number | undefined>>,
): string {
  const query = new URLSearchParams();
  const entries = parameters instanceof URLSearchParams ? [...parameters] : Object.entries(parameters);
  for (const [name, value] of entries) if (value !== undefined && value !== '') query.append(name, String(value));
  return query.size === 0 ? pathname : `${pathname}${pathname.includes('?') ? '&' : '?'}${query.toString()}`;
}
