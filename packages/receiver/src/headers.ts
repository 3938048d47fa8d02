/** By lower-case name; a list where a header came more than once. */
export type HeaderValues = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * The headers of a request: a `Headers` object, a record of names and values, or Node's `rawHeaders`. Give `rawHeaders` where you can: in
 * Node's `headers` two signature headers look like one.
 */
export type RequestHeaders = HeaderValues | readonly string[] | Headers;

export function readHeaders(given: RequestHeaders): HeaderValues {
  const values: Record<string, string[]> = Object.create(null) as Record<string, string[]>;
  for (const [name, value] of entriesOf(given)) (values[name.toLowerCase()] ??= []).push(value);
  const headers: Record<string, string | string[]> = Object.create(null) as Record<string, string | string[]>;
  for (const [name, found] of Object.entries(values)) headers[name] = found.length === 1 ? (found[0] ?? '') : found;
  return headers;
}

function* entriesOf(given: RequestHeaders): Iterable<[string, string]> {
  if (isList(given)) {
    for (let index = 0; index + 1 < given.length; index += 2) yield [given[index] ?? '', given[index + 1] ?? ''];
  } else if (isHeaders(given)) {
    yield* given.entries();
  } else {
    for (const [name, value] of Object.entries(given)) {
      for (const one of typeof value === 'string' ? [value] : (value ?? [])) yield [name, one];
    }
  }
}

const isList = (given: RequestHeaders): given is readonly string[] => Array.isArray(given);
const isHeaders = (given: HeaderValues | Headers): given is Headers => typeof given.entries === 'function';
