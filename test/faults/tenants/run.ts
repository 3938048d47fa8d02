/** One tenant attacks all others, which work; in turns it rests. The others must see the same in both phases. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Pipeline } from '../../support/pipeline.ts';
import { type Receiver, startReceiver } from '../../support/receiver.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { startAttacker } from './attacker.ts';
import type { Told } from './attacker-process.ts';
import { alone, attacked, type Evidence, figuresOf, judge, type PhaseFigures } from './judge.ts';
import { type Neighbours, startNeighbours, type Webhook } from './neighbours.ts';
import { createTenantClient, mustCall } from './tenant-client.ts';

export interface TenantsOptions {
  pipeline: Pipeline;
  attacks: readonly { name: string }[];
  neighbours: number;
  /** The length of all phases together. */
  seconds: number;
  /** Phases alone, and as many with the attack. */
  turns: number;
  postsPerSecond: number;
  percent: number;
  mostTimes: number;
  slowMs: number;
  /** Between phases, so that neither begins with what the other has left. */
  settleMs: number;
  seed: number;
  say(line: string): void;
}

export interface TenantsResult {
  phases: PhaseFigures[];
  told: Told;
  violations: string[];
}

/** Places for held requests: the attack takes more than all of them. */
export const tenantsEnv = { HOOKLINE_LONGPOLL_MAX: '1000', HOOKLINE_LONGPOLL_MAX_PER_KEY: '200' };

const drainTimeoutMs = 120_000;
const attackerTenant = 'attacker';
/** An endpoint gets what is accepted five seconds after its creation. */
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
      ...{ apiUrl, adminKey, receiver, random: seededRandom(seed) },
      ...{ count: options.neighbours, postsPerSecond: options.postsPerSecond },
    });
    await delay(endpointDelayMs);
    // Webhooks of the warm-up are reconciled too, and in neither of the phases that are compared.
    neighbours.enter('warm-up');
    await delay(warmUpMs);

    const phaseMs = (options.seconds * 1_000) / (2 * options.turns);
    for (let turn = 1; turn <= options.turns; turn += 1) {
      neighbours.enter(alone);
      await delay(phaseMs);
      neighbours.enter('between');
      await attacker.obey({ do: 'begin' });
      say(`turn ${turn}: the attack has begun`);
      await delay(Math.min(warmUpMs, phaseMs));
      neighbours.enter(attacked);
      await delay(phaseMs);
      neighbours.enter('between');
      told = await attacker.obey({ do: 'cease' });
      await delay(options.settleMs);
    }
    await neighbours.stop();
    const evidence = await evidenceOf(neighbours, options.mostTimes);
    return {
      phases: [alone, attacked].map((phase) => figuresOf(phase, evidence)),
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
