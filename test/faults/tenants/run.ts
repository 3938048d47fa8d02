/**
 * One tenant attacks all others, which work; in turns it rests. The others must see the same in both phases. Phases beside threads that only
 * compute show what of a difference is the machine's.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Pipeline } from '../../support/pipeline.ts';
import { type Receiver, startReceiver } from '../../support/receiver.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { startAttacker } from './attacker.ts';
import type { Told } from './attacker-process.ts';
import { alone, attacked, type Evidence, figuresOf, judge, type PhaseFigures, spinning } from './judge.ts';
import { type Neighbours, startNeighbours, type Webhook } from './neighbours.ts';
import { createProcessorMeter, type ProcessorUse } from './processors.ts';
import { createTenantClient, mustCall } from './tenant-client.ts';

export interface TenantsOptions {
  pipeline: Pipeline;
  serverIds(): Readonly<Record<string, number>>;
  attacks: readonly { name: string }[];
  neighbours: number;
  /** The length of all phases together. */
  seconds: number;
  /** Phases of each kind. */
  turns: number;
  postsPerSecond: number;
  percent: number;
  /** Threads that compute, beside which the neighbours are seen as well. */
  spinners: number;
  mostTimes: number;
  slowMs: number;
  /** Between phases, so that neither begins with what the other has left. */
  settleMs: number;
  seed: number;
  say(line: string): void;
}

export interface TenantsResult {
  phases: (PhaseFigures & { processors: ProcessorUse[] })[];
  told: Told;
  violations: string[];
}

/** Places for held requests: the attack takes more than all of them. */
export const tenantsEnv = { HOOKLINE_LONGPOLL_MAX: '1000', HOOKLINE_LONGPOLL_MAX_PER_KEY: '200' };

const drainTimeoutMs = 120_000;
const attackerTenant = 'attacker';
/** An endpoint gets what is accepted two seconds after its creation. */
const endpointDelayMs = 6_000;
const warmUpMs = 5_000;

export async function runTenants(options: TenantsOptions): Promise<TenantsResult> {
  const { pipeline, say, seed } = options;
  const { apiUrl, adminKey } = pipeline.stack;
  const receiver: Receiver = await startReceiver();
  const attacker = await startAttacker();
  let neighbours: Neighbours | undefined;
  try {
    const operator = createTenantClient(apiUrl, adminKey, attackerTenant);
    const { key } = await mustCall<{ key: string }>(operator, 'POST', '/api-keys', { name: 'own', scopes: ['admin'] });
    operator.close();
    const names = options.attacks.map(({ name }) => name);
    say(`the attacker prepares ${names.join(', ')}`);
    const { percent, slowMs } = options;
    let told = await attacker.obey({ do: 'prepare', apiUrl, key, names, percent, slowMs });
    neighbours = await startNeighbours({
      apiUrl,
      adminKey,
      receiver,
      random: seededRandom(seed),
      count: options.neighbours,
      postsPerSecond: options.postsPerSecond,
    });
    await delay(endpointDelayMs);
    // Webhooks of the warm-up are reconciled too, and in neither of the phases that are compared.
    neighbours.enter('warm-up');
    await delay(warmUpMs);

    const meter = createProcessorMeter(() => ({
      ...pipeline.processIds(),
      ...options.serverIds(),
      attacker: attacker.pid,
      neighbours: process.pid,
    }));
    const phaseMs = (options.seconds * 1_000) / (3 * options.turns);
    async function phase(name: string): Promise<void> {
      neighbours?.enter(name);
      meter.enter(name);
      await delay(phaseMs);
      meter.enter(undefined);
      neighbours?.enter('between');
    }
    for (let turn = 1; turn <= options.turns; turn += 1) {
      await phase(alone);
      await attacker.obey({ do: 'spin', threads: options.spinners });
      await phase(spinning);
      await attacker.obey({ do: 'cease' });
      await attacker.obey({ do: 'begin' });
      say(`turn ${turn}: the attack has begun`);
      await delay(Math.min(warmUpMs, phaseMs));
      await phase(attacked);
      told = await attacker.obey({ do: 'cease' });
      await delay(options.settleMs);
    }
    await neighbours.stop();
    const evidence = await evidenceOf(neighbours, options.mostTimes);
    return {
      phases: [alone, spinning, attacked].map((name) => ({
        ...figuresOf(name, evidence),
        processors: meter.useIn(name),
      })),
      told,
      violations: judge(evidence),
    };
  } finally {
    attacker.stop();
    await receiver.stop();
  }
}

async function evidenceOf(neighbours: Neighbours, mostTimes: number): Promise<Evidence> {
  const { webhooks, arrivals, calls } = neighbours;
  const open = (): Webhook[] => webhooks.filter(({ identity }) => !arrivals.has(identity));
  await waitUntil('every webhook has arrived', () => open().length === 0, {
    timeoutMs: drainTimeoutMs,
    everyMs: 250,
  }).catch(() => undefined);
  const events = new Map<string, { id: string; status: string }>();
  const find = async (): Promise<boolean> => {
    for (const { tenant, receiptId } of webhooks) {
      if (events.get(receiptId)?.status === 'completed') continue;
      const answer = await neighbours.clientOf(tenant).call('GET', `/events?receipt_id=${receiptId}`);
      const [event] = answer.status === 200 ? (answer.body as { id: string; status: string }[]) : [];
      if (event !== undefined) events.set(receiptId, { id: event.id, status: event.status });
    }
    return webhooks.every(({ receiptId }) => events.get(receiptId)?.status === 'completed');
  };
  await waitUntil('every webhook is a completed event', find, { timeoutMs: drainTimeoutMs, everyMs: 1_000 }).catch(
    () => undefined,
  );
  return { webhooks, arrivals, calls, events, mostTimes };
}
