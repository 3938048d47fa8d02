import type { Clock } from '#lib/clock';
import { type Api, connect } from '../../api-calls/connect.ts';
import { pathOf } from '../../api-calls/path-of.ts';
import { CommandFailure } from '../../command-failure.ts';
import type { Context } from '../../context.ts';
import { printable } from '../../output/print.ts';
import type { CreatedEndpoint } from '../endpoints/describe-beginning.ts';

interface Wanted {
  url: string;
  types: readonly string[];
  secret: string | undefined;
}

export interface Made extends CreatedEndpoint {
  id: string;
  secret: string;
  expires_at: string;
}

/** After a kill, an endpoint that nobody prolongs is left for so long. */
const lastsSeconds = 900;
const prolongEveryMs = 300_000;
/** Above the time limit of a forwarded request. */
const timeoutMs = 30_000;

/**
 * Makes an endpoint that lasts as long as `use` does: it is prolonged every so often, and removed in the end. If this process is killed, the
 * API deletes it at its time.
 *
 * @param use ends early by `lost` if the endpoint is gone
 */
export async function withTemporaryEndpoint(
  context: Context,
  { url, types, secret }: Wanted,
  { tenant, use }: { tenant: string | undefined; use(made: Made, lost: AbortSignal): Promise<void> },
): Promise<void> {
  const api = connect(context, tenant);
  const body = {
    ...{ url, description: 'hookline listen', event_types: types, timeout_ms: timeoutMs, expires_in: lastsSeconds },
    ...(secret !== undefined && { secret }),
  };
  const made = await api.ask<Made>('POST', '/endpoints', { body }).catch((error: unknown) => {
    throw isRefusedUrl(error) ? unreachable(error, url) : error;
  });
  const [ended, lost] = [new AbortController(), new AbortController()];
  const prolonging = prolong(api, made.id, { clock: context.clock, ended: ended.signal, lost });
  try {
    await use(made, lost.signal);
  } finally {
    ended.abort();
    await prolonging;
    if (!lost.signal.aborted) await remove(api, made, context);
  }
  if (lost.signal.aborted) throw new CommandFailure(1, `the endpoint ${printable(made.id)} was deleted`);
}

async function prolong(
  api: Api,
  id: string,
  { clock, ended, lost }: { clock: Clock; ended: AbortSignal; lost: AbortController },
): Promise<void> {
  for (;;) {
    await clock.sleep(prolongEveryMs, ended);
    if (ended.aborted) return;
    try {
      await api.ask('PATCH', pathOf('endpoints', id), { body: { expires_in: lastsSeconds } });
    } catch (error) {
      // The API may be away for a while: until its end, the endpoint is prolonged by the next try.
      if (isGone(error)) return lost.abort();
    }
  }
}

async function remove(api: Api, { id }: Made, { process }: Context): Promise<void> {
  try {
    await api.ask('DELETE', pathOf('endpoints', id));
    process.stderr.write(`removed the endpoint ${printable(id)}\n`);
  } catch {
    process.stderr.write(
      `could not remove the endpoint ${printable(id)}: it is deleted within ${lastsSeconds / 60} minutes\n`,
    );
  }
}

const codeOf = (error: unknown): unknown =>
  error instanceof CommandFailure && 'code' in error.facts ? error.facts.code : undefined;
const isGone = (error: unknown): boolean => ['gone', 'not_found'].includes(String(codeOf(error)));
const isRefusedUrl = (error: unknown): error is CommandFailure => codeOf(error) === 'url_not_allowed';

const unreachable = ({ message, facts }: CommandFailure, url: string): CommandFailure =>
  new CommandFailure(
    1,
    `${message}\nThis Hookline may not send to ${url}. --poll needs no address that it can reach; --public-url names another, such as a tunnel’s`,
    facts,
  );
