import { randomUUID } from 'node:crypto';
import { createTransport, failureOf } from '#client';
import { schemeSettings, signatureSchemes } from '#lib/signatures';
import { toCommandFailure } from '../api-calls/failures.ts';
import { openClient } from '../api-calls/open-client.ts';
import { sendAgain } from '../api-calls/send-again.ts';
import { CommandFailure, usageFailure } from '../command-failure.ts';
import { loadIngressConfig } from '../config.ts';
import type { Context } from '../context.ts';
import { readNow, readScheme, refuseProblems } from '../options/schemes.ts';
import { readBody, readHeaders, readWholeNumber } from '../options/values.ts';
import { printLine, printRetry } from '../output/print.ts';
import type { Values } from '../verb.ts';
import type { sendOptions } from './tools.ts';

type Source = Omit<ReturnType<typeof readScheme>, 'secrets'>;

export async function send(
  values: Values<typeof sendOptions>,
  given: Readonly<Record<'source', string>>,
  context: Context,
): Promise<number> {
  const { clock, random } = context;
  const count = readWholeNumber('count', values.count, { min: 1, max: 1_000_000, otherwise: 1 });
  const maxAttempts = readWholeNumber('max-attempts', values['max-attempts'], { min: 1, max: 1_000, otherwise: 8 });
  const now = readNow(values, undefined);
  const [secret, ...others] = values.secret ?? [];
  if (secret === undefined || others.length > 0) throw usageFailure('--secret must be given exactly once');
  if (values.body !== undefined && values['body-file'] !== undefined)
    throw usageFailure('--body and --body-file exclude each other');
  if (values.id !== undefined && count > 1)
    throw usageFailure('--id and --count exclude each other: an id is of one webhook');

  const headers = readHeaders(values.header);
  const body = values['body-file'] === undefined ? values.body : await readBody(context, values['body-file']);
  const { ingressUrl } = loadIngressConfig(context);
  const source =
    values.scheme === undefined ? await askForSource(given.source, values.tenant, context) : readScheme(values, 'sign');
  refuseProblems(source.scheme, { settings: source.settings, secret, purpose: 'sign' });

  const transport = createTransport(ingressUrl);
  const path = `/v1/webhooks/${encodeURIComponent(given.source)}`;
  const { scheme, settings } = source;
  for (let n = 0; n < count; n += 1) {
    const id = values.id ?? randomUUID();
    const bytes = Buffer.from(body ?? JSON.stringify({ id, type: 'test', sent_by: 'hookline send' }));
    const sign = (): Record<string, string> =>
      signatureSchemes[scheme].sign({
        secret,
        // Signed again for each attempt: an old signature would be rejected.
        timestampSeconds: now ?? Math.floor(clock.nowMs() / 1000),
        body: bytes,
        id,
        settings: schemeSettings(scheme, settings),
      });
    const sent = await sendAgain(
      () =>
        transport({
          method: 'POST',
          path,
          headers: joinHeaders([...identifyingHeaders(source, id), ...Object.entries(sign()), ...headers]),
          body: bytes,
        }),
      { clock, random, maxAttempts, onRetry: printRetry(context) },
    );
    report(sent, { id, ingressUrl, json: values.json }, context);
  }
  return 0;
}

async function askForSource(id: string, tenant: string | undefined, context: Context): Promise<Source> {
  const source = await openClient(context, tenant, {}).call('GET /v1/sources/:id', { params: { id } });
  return { scheme: source.scheme, settings: source };
}

/** Puts the id into every header that identifies webhooks of the source, as the provider would. */
function identifyingHeaders({ scheme, settings }: Source, id: string): [string, string][] {
  const places = (settings.dedup_id ?? signatureSchemes[scheme].identifyBy).flat();
  const names = places.flatMap((place) => /^header:(.+)$/.exec(place)?.[1] ?? []);
  return [
    ['Content-Type', 'application/json'],
    ['Idempotency-Key', id],
    ...names.map((name): [string, string] => [name, id]),
  ];
}

/** Headers that the caller gives replace ours. */
const joinHeaders = (headers: readonly (readonly [string, string])[]): Record<string, string> =>
  Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value]));

type Sent = Awaited<ReturnType<typeof sendAgain>>;

/** @throws CommandFailure if the webhook was not accepted: the next would not be either */
function report(
  { result, attempts }: Sent,
  { id, ingressUrl, json }: { id: string; ingressUrl: string; json: boolean },
  context: Context,
): void {
  if ('noAnswer' in result) throw new CommandFailure(1, `no answer after ${attempts} attempts: ${result.noAnswer}`);
  if (result.status < 200 || result.status >= 300) throw toCommandFailure(failureOf(result), ingressUrl);
  const receipt = result.bytes.length === 0 ? undefined : (JSON.parse(result.bytes.toString()) as { id: string }).id;
  const facts = { id, status: result.status, attempts, receipt_id: receipt ?? null };
  const times = attempts === 1 ? '' : ` at attempt ${attempts}`;
  printLine(context, facts, json, ({ status, receipt_id }) => `accepted${times}: ${receipt_id ?? status}`);
}
