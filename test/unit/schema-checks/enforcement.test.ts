import type { Query } from '#lib/postgres';
import { AppError, type Clock } from '#lib/runtime';
import { createEnforcement, type Verdict } from '#lib/schema-checks';

const tenants = Array.from({ length: 20 }, (_, index) => `tenant-${index}`);
const tenantsEnforced: Query = {
  query: async <Row>(_statement: string, [asked]: readonly unknown[] = []) =>
    (asked as string[]).map((tenant) => ({ tenant, name: 'paid', id: 'ty_1', version: 1, enforce: 'tag' })) as Row[],
};

/** Checks that take `checkMs` each by a clock of their own. */
function open({ checkMs = 0, postgres = tenantsEnforced }: { checkMs?: number; postgres?: Query } = {}) {
  let nowMs = 5_000;
  const clock = { monotonicMs: () => nowMs } as Clock;
  const checked: string[] = [];
  const check = async ({ tenant = '' }: { tenant?: string }): Promise<Verdict> => {
    checked.push(tenant);
    nowMs += checkMs;
    return { kind: 'match' };
  };
  return { enforcement: createEnforcement({ postgres, checks: { check }, clock }), checked };
}

const eventsOf = (type: string) => tenants.map((tenant) => ({ tenant, type, text: () => '{}' }));

test('slow schemas of many tenants delay a batch by its time limit, and by one check', async () => {
  const { enforcement, checked } = open({ checkMs: 500 });
  const verdicts = await enforcement.validateAll(eventsOf('paid'));
  expect(checked).toEqual(tenants.slice(0, 4));
  expect(verdicts.map(({ kind }) => kind)).toEqual(tenants.map((_, index) => (index < 4 ? 'accepted' : 'unjudged')));
  // The next batch has its own time.
  await enforcement.validateAll(eventsOf('paid'));
  expect(checked).toHaveLength(8);
});

test('what no type enforces is accepted also after the limit', async () => {
  const { enforcement } = open({ checkMs: 3_000 });
  const [paid] = eventsOf('paid');
  const verdicts = await enforcement.validateAll([paid as NonNullable<typeof paid>, ...eventsOf('other')]);
  expect(verdicts).toEqual(Array(21).fill({ kind: 'accepted' }));
});

test('with Postgres away events are unjudged, and the next batch asks again', async () => {
  let isAway = true;
  const { enforcement } = open({
    postgres: {
      query: async (...asked) => {
        if (isAway) throw new AppError('store_unavailable', 'Postgres is away');
        return tenantsEnforced.query(...asked);
      },
    },
  });
  expect(await enforcement.validateAll(eventsOf('paid'))).toEqual(
    Array(20).fill({ kind: 'unjudged', enforce: undefined, reason: 'busy' }),
  );
  isAway = false;
  expect(await enforcement.validateAll(eventsOf('paid'))).toEqual(Array(20).fill({ kind: 'accepted' }));
});
