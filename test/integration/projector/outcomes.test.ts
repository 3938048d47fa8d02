import type { Attempted } from '#lib/contract';
import type { Postgres } from '#lib/postgres';
import { formatMicros } from '#lib/runtime';
import { createWaitingTable } from '../../../services/dispatcher/waiting/waiting-table.ts';
import type { Fact } from '../../../services/projector/facts.ts';
import { applyOutcomes } from '../../../services/projector/statements/outcomes.ts';
import { guardingStatements } from '../../../services/projector/write-batch.ts';
import { deliveryId, outcomeFact, startAt } from '../../unit/projector/facts.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { closePostgres, openDatabase, project as projectWith } from './projection.ts';

type OutcomeStatement = typeof applyOutcomes;

let postgres: Postgres;
beforeAll(async () => {
  postgres = await openDatabase();
});
afterAll(() => closePostgres(postgres));

const delivery = deliveryId('evt', 'ep_abc');
const outcome = (
  tenant: string,
  step: number,
  status: 'retrying' | 'parked' | 'delivered' | 'cancelled',
  more?: { ordered: boolean },
): Fact => outcomeFact({ tenant, eventId: 'evt' }, 'ep_abc', step, status, more);
const project = (facts: Fact[], statement: OutcomeStatement = applyOutcomes): Promise<void> =>
  projectWith(postgres, facts, { ...guardingStatements, applyOutcomes: statement });

async function standing(tenant: string) {
  const [known] = await postgres.query<{ status: string; step: number }>(
    'SELECT status, step FROM deliveries WHERE tenant = $1',
    [tenant],
  );
  const waiting = await postgres.query('SELECT state, step FROM waiting WHERE tenant = $1', [tenant]);
  return { ...known, waiting };
}

/** The statement with one of its guards weakened. */
function mutant(name: string, guard: string, weakened: string): OutcomeStatement {
  expect(applyOutcomes.text).toContain(guard);
  return { ...applyOutcomes, name, text: applyOutcomes.text.replace(guard, weakened) };
}

test('a lower step that comes late changes nothing', async () => {
  const afterLateStep = async (tenant: string, statement?: OutcomeStatement) => {
    await project([outcome(tenant, 3, 'parked')], statement);
    await project([outcome(tenant, 2, 'retrying')], statement);
    return standing(tenant);
  };
  const right = { status: 'parked', step: 3, waiting: [{ state: 'parked', step: 3 }] };
  expect(await afterLateStep('late')).toEqual(right);
  const overwriting = mutant('overwriting', 'WHERE (known.step < EXCLUDED.step OR', 'WHERE (true OR');
  expect(await afterLateStep('late-mutant', overwriting)).not.toEqual(right);
});

test('two outcomes with one step: the first counts', async () => {
  await project([outcome('same', 1, 'retrying')]);
  await project([outcome('same', 1, 'parked')]);
  expect(await standing('same')).toEqual({ status: 'retrying', step: 1, waiting: [{ state: 'retrying', step: 1 }] });
});

test('an end counts in whichever step it comes: of a delivery that was under way twice, one was taken', async () => {
  const afterEnd = async (tenant: string, statement?: OutcomeStatement) => {
    await project([outcome(tenant, 3, 'retrying')], statement);
    await project([outcome(tenant, 2, 'delivered')], statement);
    return standing(tenant);
  };
  const right = { status: 'delivered', step: 3, waiting: [] };
  expect(await afterEnd('end-late')).toEqual(right);
  const deaf = mutant(
    'deaf-to-ends',
    "(known.step < EXCLUDED.step OR EXCLUDED.status IN ('delivered', 'dead_lettered', 'cancelled'))",
    'known.step < EXCLUDED.step',
  );
  expect(await afterEnd('end-late-mutant', deaf)).not.toEqual(right);
  // In one batch, too.
  await project([outcome('end-at-once', 3, 'retrying'), outcome('end-at-once', 2, 'delivered')]);
  expect(await standing('end-at-once')).toEqual(right);
});

test('an end in a lower step leaves as many attempts as there were, in one batch or in several', async () => {
  const story = (tenant: string): Fact[] => [
    outcome(tenant, 1, 'retrying'),
    outcome(tenant, 2, 'retrying'),
    outcome(tenant, 3, 'retrying'),
    outcome(tenant, 1, 'delivered'),
  ];
  const attemptsOf = async (tenant: string) =>
    (await postgres.query<{ attempts: number }>('SELECT attempts FROM deliveries WHERE tenant = $1', [tenant]))[0];
  for (const fact of story('one by one')) await project([fact]);
  await project(story('at once'));
  await project(story('in two').slice(0, 2));
  await project(story('in two').slice(2));
  const [alone, ...together] = await Promise.all(['one by one', 'at once', 'in two'].map(attemptsOf));
  expect(alone?.attempts).toBeGreaterThan(1);
  for (const each of together) expect(each).toEqual(alone);
});

test('a delivery that has ended is never open again, whatever step says so', async () => {
  const afterEnd = async (tenant: string, statement?: OutcomeStatement) => {
    await project([outcome(tenant, 1, 'retrying'), outcome(tenant, 2, 'delivered')], statement);
    await project([outcome(tenant, 3, 'retrying')], statement);
    return standing(tenant);
  };
  const right = { status: 'delivered', step: 2, waiting: [] };
  expect(await afterEnd('ended')).toEqual(right);
  const reopening = mutant(
    'reopening',
    "AND known.status NOT IN ('delivered', 'dead_lettered', 'cancelled')",
    'AND true',
  );
  expect(await afterEnd('ended-mutant', reopening)).not.toEqual(right);
  // In one batch, too.
  await project([outcome('ended-at-once', 2, 'cancelled'), outcome('ended-at-once', 3, 'parked')]);
  expect(await standing('ended-at-once')).toEqual({ status: 'cancelled', step: 2, waiting: [] });
});

test('a row that the dispatcher has removed does not come back with an old record', async () => {
  const afterReplay = async (tenant: string, statement?: OutcomeStatement) => {
    await project([outcome(tenant, 1, 'retrying')], statement);
    await postgres.query('DELETE FROM waiting WHERE tenant = $1', [tenant]);
    await project([outcome(tenant, 1, 'retrying')], statement);
    return (await standing(tenant)).waiting;
  };
  expect(await afterReplay('replayed')).toEqual([]);
  const again = mutant('again', 'WHERE (known.step < EXCLUDED.step OR', 'WHERE (known.step <= EXCLUDED.step OR');
  expect(await afterReplay('replayed-mutant', again)).not.toEqual([]);
});

test('a row that the dispatcher has written for a later step stays as it is', async () => {
  const tenant = 'own';
  await postgres.query(
    `INSERT INTO waiting (tenant, delivery_id, partition, endpoint_id, event_id, generation, state, due_at, step, attempts, created_at)
     VALUES ($1, $2, 6, 'ep_abc', 'evt', 0, 'parked', now(), 3, 2, now())`,
    [tenant, delivery],
  );
  await project([outcome(tenant, 1, 'retrying')]);
  await project([outcome(tenant, 2, 'retrying')]);
  expect((await standing(tenant)).waiting).toEqual([{ state: 'parked', step: 3 }]);
  await project([outcome(tenant, 3, 'parked')]);
  expect((await standing(tenant)).waiting).toEqual([{ state: 'parked', step: 3 }]);
  await project([outcome(tenant, 4, 'delivered')]);
  expect((await standing(tenant)).waiting).toEqual([]);
});

describe('the row of a delivery that is sent in an order', () => {
  const inOrder = { ordered: true };
  const writeRow = (tenant: string, step: number): Promise<unknown> =>
    postgres.query(
      `INSERT INTO waiting (tenant, delivery_id, partition, endpoint_id, event_id, generation, state, due_at, step, attempts, created_at,
                            ordering_key, sequence)
       VALUES ($1, $2, 6, 'ep_abc', 'evt', 0, 'parked', 'infinity', $3, 0, now(), '\\xab', 5)`,
      [tenant, delivery, step],
    );

  test('is not written: where the delivery stands is', async () => {
    const afterWaits = async (tenant: string, statement?: OutcomeStatement) => {
      await project([outcome(tenant, 1, 'parked', inOrder)], statement);
      await project([outcome(tenant, 2, 'retrying', inOrder)], statement);
      return standing(tenant);
    };
    const right = { status: 'retrying', step: 2, waiting: [] };
    expect(await afterWaits('ordered')).toEqual(right);
    expect(await afterWaits('ordered-writing', mutant('writing', 'AND NOT i.ordered', 'AND true'))).not.toEqual(right);
  });

  test('is neither changed nor removed, whatever its delivery comes to: the next of its key would not be due', async () => {
    const afterEnd = async (tenant: string, statement?: OutcomeStatement) => {
      await writeRow(tenant, 1);
      await project([outcome(tenant, 1, 'parked', inOrder), outcome(tenant, 2, 'retrying', inOrder)], statement);
      await project([outcome(tenant, 3, 'delivered', inOrder)], statement);
      return standing(tenant);
    };
    const right = { status: 'delivered', step: 3, waiting: [{ state: 'parked', step: 1 }] };
    expect(await afterEnd('ordered-end')).toEqual(right);
    const removing = mutant('removing', 'AND w.ordering_key IS NULL', 'AND true');
    expect(await afterEnd('ordered-removing', removing)).not.toEqual(right);
    // An end without a key, from a process that no longer knows the endpoint as ordered, leaves it too.
    await writeRow('ordered-once', 1);
    await project([outcome('ordered-once', 2, 'delivered')]);
    expect((await standing('ordered-once')).waiting).toHaveLength(1);
  });
});

test('a waiting row says until when, for whom, and whose partition it is in', async () => {
  await project([outcome('facts', 1, 'retrying')]);
  const row = {
    delivery_id: delivery,
    partition: 'ep_abc'.length,
    endpoint_id: 'ep_abc',
    event_id: 'evt',
    generation: 0,
    attempts: 1,
    created_at: formatMicros(startAt + 10),
  };
  const select =
    'SELECT delivery_id, partition, endpoint_id, event_id, generation, attempts, created_at, state, due_at, step FROM waiting WHERE tenant = $1';
  expect(await postgres.query(select, ['facts'])).toEqual([
    { ...row, state: 'retrying', step: 1, due_at: formatMicros(startAt + 1_000_000) },
  ]);
  // For room: due since its creation, so that the oldest comes first.
  await project([outcome('facts', 2, 'parked')]);
  expect(await postgres.query(select, ['facts'])).toEqual([
    { ...row, attempts: 2, state: 'parked', step: 2, due_at: formatMicros(startAt + 10) },
  ]);
});

test('an attempt has what was sent and what came back, whatever is in them, and how long it took', async () => {
  const fact = outcome('exchange', 1, 'retrying') as Extract<Fact, { kind: 'outcome' }>;
  const strange = { 'x-"quoted"\\': '{a,b},"c\\",NULL', 'x-empty': '', 'x-größe': '😀', 'x-odd': 'a\0b' };
  const request = { method: 'DELETE', url: 'https://receiver.test/?a="b"', headers: strange };
  const timing = { dns_ms: 0.01, connect_ms: 1234.56, tls_ms: null, first_byte_ms: 5_000, body_ms: 0 };
  const sent = { ...(fact.outcome as Attempted), request, response_headers: strange, timing };
  await project([
    { ...fact, outcome: sent },
    { ...fact, outcome: { ...sent, step: 2, request: null, response_headers: null, timing: null } },
  ]);
  const columns = 'request, response_headers, dns_ms, connect_ms, tls_ms, first_byte_ms, body_ms';
  const rows = await postgres.query(`SELECT ${columns} FROM attempts WHERE tenant = 'exchange' ORDER BY step`);
  const nothing = { dns_ms: null, connect_ms: null, tls_ms: null, first_byte_ms: null, body_ms: null };
  expect(rows).toEqual([
    { request, response_headers: strange, ...timing },
    { request: null, response_headers: null, ...nothing },
  ]);
});

test('every send is an attempt, once, whatever became of the delivery since', async () => {
  const tenant = 'attempts';
  await project([outcome(tenant, 4, 'delivered')]);
  await project([outcome(tenant, 1, 'retrying'), outcome(tenant, 2, 'parked'), outcome(tenant, 3, 'retrying')]);
  await project([outcome(tenant, 3, 'retrying'), outcome(tenant, 4, 'delivered')]);
  const attempts = await postgres.query('SELECT step, outcome FROM attempts WHERE tenant = $1 ORDER BY step', [tenant]);
  expect(attempts).toEqual([
    { step: 1, outcome: 'http_5xx' },
    { step: 3, outcome: 'http_5xx' },
    { step: 4, outcome: 'delivered' },
  ]);
});

test('it and a dispatcher that removes the rows of the same deliveries never wait for each other in a circle', async () => {
  const names = ['ep_a', 'ep_b'] as const;
  const fact = (tenant: string, name: string, step: number, status: 'retrying' | 'delivered'): Fact =>
    outcomeFact({ tenant, eventId: 'evt' }, name, step, status);

  const tenant = 'in-a-circle';
  await project(names.map((name) => fact(tenant, name, 1, 'retrying')));
  const rows = await postgres.query<{ delivery_id: string; endpoint_id: string }>(
    'SELECT delivery_id, endpoint_id FROM waiting WHERE tenant = $1 ORDER BY delivery_id',
    [tenant],
  );
  const [first, second] = rows;
  if (first === undefined || second === undefined) throw new Error('two rows were written');
  const projecting = await postgres.transaction(async (holder) => {
    await holder.query('SELECT FROM waiting WHERE tenant = $1 AND delivery_id = $2 FOR UPDATE', [
      tenant,
      first.delivery_id,
    ]);
    const facts = [fact(tenant, first.endpoint_id, 2, 'retrying'), fact(tenant, second.endpoint_id, 2, 'delivered')];
    const projected = project(facts);
    await waitUntil('the projector waits for the lock', async () => {
      const waiting = await postgres.query(
        "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
      );
      return waiting.length === 1;
    });
    // Whatever the others have locked, the dispatcher does not wait for it.
    const stay = await createWaitingTable(postgres, postgres).remove(
      rows.map(({ delivery_id }) => ({ tenant, deliveryId: delivery_id, step: 1 })),
    );
    expect(stay).toContainEqual({ tenant, deliveryId: first.delivery_id });
    return [projected];
  });
  await Promise.all(projecting);
});

describe('a delivery has the outcome of the last send on its way', () => {
  const sends = async (tenant: string) =>
    postgres.query('SELECT status, last_outcome, last_http_status, last_detail FROM deliveries WHERE tenant = $1', [
      tenant,
    ]);
  const failed = { last_outcome: 'http_5xx', last_http_status: 500, last_detail: 'step 1' };
  const delivered = { last_outcome: 'delivered', last_http_status: 200, last_detail: null };
  const unsent = { last_outcome: null, last_http_status: null, last_detail: null };

  test.each<[string, [number, 'retrying' | 'parked' | 'delivered' | 'cancelled'][], object]>([
    ['parked', [[1, 'parked']], unsent],
    ['cancelled', [[1, 'cancelled']], unsent],
    ['retried', [[1, 'retrying']], failed],
    [
      'retried and parked',
      [
        [1, 'retrying'],
        [2, 'parked'],
      ],
      failed,
    ],
    [
      'retried and cancelled',
      [
        [1, 'retrying'],
        [2, 'cancelled'],
      ],
      failed,
    ],
    [
      'retried and delivered',
      [
        [1, 'retrying'],
        [2, 'delivered'],
      ],
      delivered,
    ],
    [
      'delivered, and retried by another',
      [
        [2, 'delivered'],
        [3, 'retrying'],
      ],
      delivered,
    ],
    [
      'retried later, delivered in an earlier step',
      [
        [3, 'retrying'],
        [2, 'delivered'],
      ],
      delivered,
    ],
  ])('%s', async (name, steps, expected) => {
    const last = { status: steps.findLast(([, status]) => status === 'delivered')?.[1] ?? steps.at(-1)?.[1] };
    const facts = (tenant: string) => steps.map(([step, status]) => outcome(tenant, step, status));
    await project(facts(`${name}, at once`));
    expect(await sends(`${name}, at once`)).toEqual([{ ...last, ...expected }]);
    for (const fact of facts(`${name}, one by one`)) await project([fact]);
    expect(await sends(`${name}, one by one`)).toEqual([{ ...last, ...expected }]);
  });
});
