import { operationalEventTypes } from '#lib/contract';
import type { Postgres } from '#lib/postgres';
import type { Fact } from '../../../services/projector/facts.ts';
import { deadLetterFact } from '../../unit/projector/facts.ts';
import { closePostgres, openDatabase, project } from './projection.ts';

let postgres: Postgres;
beforeAll(async () => {
  postgres = await openDatabase();
});
afterAll(() => closePostgres(postgres));
beforeEach(async () => {
  await postgres.query('TRUNCATE endpoints, announcements, dead_letters');
});

const addEndpoint = (tenant: string, id: string, eventTypes: string[] = []): Promise<object[]> =>
  postgres.query(
    `INSERT INTO endpoints (tenant, id, url, event_types, secrets) VALUES ($1, $2, 'https://receiver.test/', $3, '')`,
    [tenant, id, eventTypes],
  );

let origins = 0;
function deadOf(
  tenant: string,
  endpointId: string | null,
  eventType: string | null = 'order.created',
  at?: number,
): Fact {
  const fact = deadLetterFact(tenant, `dlv_${(origins += 1)}`);
  if (fact.kind !== 'dead_letter') throw new Error('a dead letter is asked for');
  const { deadLetter } = fact;
  return {
    ...fact,
    deadLetter: { ...deadLetter, endpoint_id: endpointId, event_type: eventType, at: at ?? deadLetter.at },
  };
}

const groups = (): Promise<{ tenant: string; subject: string; facts: Record<string, unknown> }[]> =>
  postgres.query('SELECT tenant, subject, facts FROM announcements ORDER BY tenant, subject, episode');
const counts = async (): Promise<unknown[][]> =>
  (await groups()).map(({ tenant, subject, facts }) => [tenant, subject, facts['count']]);

describe('the dead letters of an endpoint', () => {
  it('are one announcement for a quarter of an hour, whose count is that of the rows, also after a redelivery', async () => {
    await addEndpoint('acme', 'ep_1', ['hookline.delivery.*']);
    await addEndpoint('acme', 'ep_2');
    await addEndpoint('quiet', 'ep_3');
    const at = Date.UTC(2026, 0, 1) * 1_000;
    const first = [deadOf('acme', 'ep_1', null, at), deadOf('acme', 'ep_2'), deadOf('quiet', 'ep_3')];
    const second = [deadOf('acme', 'ep_1', 'order.created', at + 5), deadOf('acme', 'ep_1', 'order.created', at + 3)];
    await project(postgres, first);
    await Promise.all([project(postgres, second), project(postgres, second), project(postgres, [...first, ...second])]);
    await project(postgres, [...second, ...first]);
    expect(await counts()).toEqual([
      ['acme', 'ep_1', 3],
      ['acme', 'ep_2', 1],
    ]);
    const [{ facts } = { facts: {} }] = await groups();
    expect(facts).toEqual({
      url: 'https://receiver.test/',
      count: 3,
      since: '2026-01-01T00:00:00.000000Z',
      until: '2026-01-01T00:00:00.000006Z',
    });
    const [due] = await postgres.query<{ afterQuarter: boolean }>(
      `SELECT due_at > date_bin('15 minutes', now(), 'epoch') + interval '15 minutes' AS "afterQuarter" FROM announcements`,
    );
    expect(due?.afterQuarter).toBe(true);
  });

  it('of the next quarter of an hour are another', async () => {
    await addEndpoint('acme', 'ep_1', ['hookline.*']);
    await project(postgres, [deadOf('acme', 'ep_1'), deadOf('acme', 'ep_1')]);
    await postgres.query(`UPDATE announcements SET episode = 'a quarter before'`);
    await project(postgres, [deadOf('acme', 'ep_1')]);
    expect((await counts()).map(([, , count]) => count).toSorted()).toEqual([1, 2]);
  });

  it('that are operational events, and those of no endpoint that there is, are announced to nobody', async () => {
    await addEndpoint('acme', 'ep_1', ['hookline.*']);
    const operational = operationalEventTypes.map((type) => deadOf('acme', 'ep_1', type));
    await project(postgres, [...operational, deadOf('acme', null), deadOf('acme', 'ep_never')]);
    expect(await groups()).toEqual([]);
    expect(await postgres.query('SELECT FROM dead_letters')).toHaveLength(operationalEventTypes.length + 2);
  });

  it('are not announced if they are not written', async () => {
    await addEndpoint('acme', 'ep_1', ['hookline.*']);
    const facts = [deadOf('acme', 'ep_1')];
    await postgres.query(`ALTER TABLE announcements ADD CONSTRAINT refused CHECK (subject = '') NOT VALID`);
    await expect(project(postgres, facts)).rejects.toThrow();
    expect(await postgres.query('SELECT FROM dead_letters')).toEqual([]);
    await postgres.query('ALTER TABLE announcements DROP CONSTRAINT refused');
    await project(postgres, facts);
    expect(await counts()).toEqual([['acme', 'ep_1', 1]]);
  });
});
