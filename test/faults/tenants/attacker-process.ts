/**
 * The attacking tenant with its receiver, in a child process, so that its work does not disturb the measurement. The parent tells it what
 * to do.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { startReceiver } from '../../support/receiver.ts';
import type { Attack, Attacker } from './attack.ts';
import { attacks } from './attacks/index.ts';
import { createTenantClient, mustCall } from './tenant-client.ts';

export type Order =
  | { do: 'prepare'; apiUrl: string; key: string; names: readonly string[]; percent: number; slowMs: number }
  | { do: 'begin' | 'cease' }
  /** Threads that compute, and leave the pipeline alone. */
  | { do: 'spin'; threads: number };

/** After each order: how its requests have been answered so far, by attack. */
export type Told = Record<string, Readonly<Record<string, number>>>;

const receiver = await startReceiver();
const told: Told = {};
const chosen: { attack: Attack; attacker: Omit<Attacker, 'signal' | 'pause'> }[] = [];
let phase = new AbortController();
let rounds: Promise<unknown> = Promise.resolve();
let spinning: Worker[] = [];

const meansOf = (attacker: Omit<Attacker, 'signal' | 'pause'>, { signal }: AbortController): Attacker => ({
  ...attacker,
  signal,
  pause: (ms) => delay(ms, undefined, { signal }).catch(() => undefined),
});

async function prepare({ apiUrl, key, names, percent, slowMs }: Order & { do: 'prepare' }): Promise<void> {
  receiver.react(({ name }) => {
    // Arrivals don't count here, and would fill the memory.
    (receiver.arrivals as unknown[]).length = 0;
    if (name.startsWith('slow')) return { status: 200, delayMs: slowMs };
    return { status: name.startsWith('refuses') ? 500 : 200 };
  });
  const first = createTenantClient(apiUrl, key);
  const times = (count: number): number => Math.max(1, Math.round((count * percent) / 100));
  for (const attack of attacks.filter(({ name }) => names.includes(name))) {
    // A key of its own: a key has a rate, too.
    const own = { name: attack.name, scopes: ['admin'] };
    const client = createTenantClient(apiUrl, (await mustCall<{ key: string }>(first, 'POST', '/api-keys', own)).key);
    told[attack.name] = client.answers;
    chosen.push({ attack, attacker: { client, receiverUrl: receiver.url, times } });
  }
  first.close();
  for (const { attack, attacker } of chosen) await attack.prepare(meansOf(attacker, new AbortController()));
}

function begin(): void {
  phase = new AbortController();
  rounds = Promise.all(
    chosen.map(async ({ attack, attacker }) => {
      while (!phase.signal.aborted) await attack.round(meansOf(attacker, phase));
    }),
  );
}

async function obey(order: Order): Promise<void> {
  if (order.do === 'prepare') await prepare(order);
  else if (order.do === 'begin') begin();
  else if (order.do === 'spin')
    spinning = Array.from({ length: order.threads }, () => new Worker('for (;;);', { eval: true }));
  else {
    phase.abort();
    await Promise.race([rounds, delay(30_000)]);
    await Promise.all(spinning.map((each) => each.terminate()));
    spinning = [];
  }
}

process.on('message', (order: Order) => {
  obey(order).then(
    () => process.send?.({ told }),
    (error: Error) => process.send?.({ failed: error.stack }),
  );
});
process.on('disconnect', () => process.exit(0));
process.send?.({ told });
