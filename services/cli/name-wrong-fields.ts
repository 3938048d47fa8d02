import { CommandFailure, type WrongField } from './command-failure.ts';

/** Options that are named otherwise than the API's field. */
const otherNames: Readonly<Record<string, string>> = {
  client_certificate: 'client-certificate-file',
  endpoint_id: 'endpoint',
  event_type: 'type',
  expires_in_seconds: 'hours',
  ids: 'id',
  limits: 'limit',
  payload: 'payload-file',
  q: 'search',
  rate_per_second: 'rate',
  receipt_id: 'receipt',
  received_since: 'since',
  received_until: 'until',
  scopes: 'scope',
  source_id: 'source',
  tags: 'tag',
  trace_id: 'trace',
  updated_at_gte: 'since',
};

/** The failure with a line for each field that the API refuses, named by the option that it came from. */
export function nameWrongFields(failure: CommandFailure, options: readonly string[]): CommandFailure {
  const { exitCode, message, facts, wrongFields } = failure;
  if (wrongFields.length === 0) return failure;
  const lines = wrongFields.map((wrong) => `\n  ${nameOf(wrong, options)} ${wrong.message}`);
  return new CommandFailure(exitCode, `${message}${lines.join('')}`, facts);
}

/** `--retry (/base_seconds)` for `/retry/base_seconds`; without such an option, the field as the API names it. */
function nameOf({ field }: WrongField, options: readonly string[]): string {
  const segments = field.split('/').filter((segment) => segment !== '');
  // Requests with a filter have it as a member of their body.
  const [first = '', ...rest] =
    segments[0] === 'filter' && segments.length > 1 && !options.includes('filter') ? segments.slice(1) : segments;
  const option = [first.replaceAll('_', '-'), otherNames[first]].find(
    (name) => name !== undefined && options.includes(name),
  );
  if (option === undefined) return field;
  // The place in a list says less than the option.
  const within = rest.filter((segment) => !/^\d+$/.test(segment));
  return within.length === 0 ? `--${option}` : `--${option} (/${within.join('/')})`;
}
