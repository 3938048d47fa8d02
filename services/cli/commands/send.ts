import { randomUUID } from 'node:crypto';
import { systemClock } from '#lib/clock';
import type { SourceScheme, SourceSettings } from '#lib/contract';
import { schemeSettings, signatureSchemes } from '#lib/signatures';
import { createApiClient } from '../api-client.ts';
import { CommandFailure, usageFailure } from '../command.ts';
import { loadApiConfig, loadIngressConfig } from '../config.ts';
import { sendRequest } from '../http.ts';
import { readHeaders, readOptions, readWholeNumber } from '../options.ts';
import { printLine } from '../output.ts';
import { readBody } from '../read-body.ts';
import { refusal } from '../refusal.ts';
import { readScheme, refuseProblems, schemeOptions } from '../scheme-options.ts';
import { sendAgain, tellRetry } from '../send-again.ts';

export const help = `usage: hookline send <source> --secret SECRET [options]

Sends a webhook as the source's provider would, and prints its receipt. What is answered with 429, 503, 504 or
not at all is sent again, with the same bytes and the same id, after a random wait that doubles, and what
Retry-After asks for.

  --secret SECRET          the source's
  --body TEXT              the body, or
  --body-file FILE         its exact bytes; - is the standard input (default: a small JSON object,
                           new for each webhook)
  --header 'Name: value'   sent too, as often as needed; Content-Type is application/json otherwise
  --id ID                  the webhook's id, put where the source looks for it in the headers (default: a new one)
  --count N                so many webhooks, one after the other (default: 1)
  --max-attempts N         for each (default: 8)
  --scheme NAME            does not ask the API what the source's scheme and settings are: they are given, as to
                           \`hookline sign\` (which see for the options)
  --tenant NAME            whose source (default: default)
  --json                   a line of JSON for each webhook`;

const options = {
  ...schemeOptions,
  body: { type: 'string' },
  header: { type: 'string', multiple: true },
  id: { type: 'string' },
  count: { type: 'string' },
  'max-attempts': { type: 'string' },
  tenant: { type: 'string' },
} as const;

const timeoutMs = 30_000;

interface Source {
  scheme: SourceScheme;
  settings: SourceSettings;
}

export async function run(args: readonly string[]): Promise<number> {
  const { values, given } = readOptions(args, options, ['source']);
  const count = readWholeNumber('count', values.count, { min: 1, max: 1_000_000, otherwise: 1 });
  const maxAttempts = readWholeNumber('max-attempts', values['max-attempts'], { min: 1, max: 1_000, otherwise: 8 });
  const now =
    values.now === undefined ? undefined : readWholeNumber('now', values.now, { min: 0, max: 1e15, otherwise: 0 });
  const [secret, ...others] = values.secret ?? [];
  if (secret === undefined || others.length > 0) throw usageFailure('--secret must be given, once');
  if (values.body !== undefined && values['body-file'] !== undefined)
    throw usageFailure('--body and --body-file exclude each other');
  if (values.id !== undefined && count > 1) throw usageFailure('--id is of one webhook, --count of several');

  const headers = readHeaders(values.header);
  const body = values['body-file'] === undefined ? values.body : await readBody(values['body-file']);
  const { ingressUrl } = loadIngressConfig();
  const source =
    values.scheme === undefined ? await askForSource(given.source, values.tenant) : readScheme(values, 'sign');
  refuseProblems(source.scheme, { settings: source.settings, secret, purpose: 'sign' });

  const url = `${ingressUrl.replace(/\/+$/, '')}/v1/webhooks/${encodeURIComponent(given.source)}`;
  const { scheme, settings } = source;
  for (let n = 0; n < count; n += 1) {
    const id = values.id ?? randomUUID();
    const bytes = Buffer.from(body ?? JSON.stringify({ id, type: 'test', sent_by: 'hookline send' }));
    const sign = (): Record<string, string> =>
      signatureSchemes[scheme].sign({
        secret,
        // Anew for each attempt: a webhook that has waited would else be too old.
        timestampSeconds: now ?? Math.floor(systemClock.nowMs() / 1000),
        body: bytes,
        id,
        settings: schemeSettings(scheme, settings),
      });
    const sent = await sendAgain(
      () =>
        sendRequest(url, {
          method: 'POST',
          headers: joinHeaders([...identifyingHeaders(source, id), ...Object.entries(sign()), ...headers]),
          body: bytes,
          timeoutMs,
        }),
      { clock: systemClock, random: Math.random, maxAttempts, onRetry: tellRetry },
    );
    report(sent, id, values.json);
  }
  return 0;
}

async function askForSource(id: string, tenant: string | undefined): Promise<Source> {
  const api = createApiClient({ ...loadApiConfig(), tenant });
  const source = await api.ask<SourceSettings & { scheme: SourceScheme }>('GET', `/sources/${encodeURIComponent(id)}`);
  return { scheme: source.scheme, settings: source };
}

/** The id in every header in which it is looked for, as the provider would have it there. */
function identifyingHeaders({ scheme, settings }: Source, id: string): [string, string][] {
  const places = settings.dedup_id ?? signatureSchemes[scheme].identifyBy;
  const names = places.flatMap((place) => /^header:(.+)$/.exec(place)?.[1] ?? []);
  return [
    ['Content-Type', 'application/json'],
    ['Idempotency-Key', id],
    ...names.map((name): [string, string] => [name, id]),
  ];
}

/** Of one name, those that the caller gives stand instead of ours. */
function joinHeaders(headers: readonly (readonly [string, string])[]): Record<string, string> {
  const byName = new Map(headers.map(([name, value]) => [name.toLowerCase(), value]));
  return Object.fromEntries(byName);
}

type Sent = Awaited<ReturnType<typeof sendAgain>>;

/** @throws CommandFailure where it was not accepted: what comes after it would fare no better */
function report({ result, attempts }: Sent, id: string, json: boolean): void {
  if ('noAnswer' in result) throw new CommandFailure(1, `no answer after ${attempts} attempts: ${result.noAnswer}`);
  if (result.status < 200 || result.status >= 300) throw refusal(result);
  const receipt = result.body === '' ? undefined : (JSON.parse(result.body) as { id: string }).id;
  const facts = { id, status: result.status, attempts, receipt_id: receipt ?? null };
  const times = attempts === 1 ? '' : ` at attempt ${attempts}`;
  printLine(facts, json, ({ status, receipt_id }) => `accepted${times}: ${receipt_id ?? status}`);
}
