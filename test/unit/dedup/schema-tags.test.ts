/** Webhooks whose body does not match the schema of their type: taken with a tag, and nothing else is different. */
import { gzipSync } from 'node:zlib';
import { header } from '#lib/contract';
import type { Enforcement } from '#lib/schema-checks';
import { nothingEnforced } from '../../support/nothing-enforced.ts';
import { recordOf } from './records.ts';
import { Crash, createWorker, createWorld, never } from './world.ts';

/** Refuses what has a `bad` in it, and remembers what it was asked. */
function refusingBad(): Enforcement & { asked: { tenant: string; type: string; text: string | undefined }[] } {
  const asked: { tenant: string; type: string; text: string | undefined }[] = [];
  return {
    ...nothingEnforced,
    asked,
    validateAll: (events) =>
      Promise.all(
        events.map(async ({ tenant, type, text: read }) => {
          const text = await read();
          asked.push({ tenant, type, text });
          if (text === undefined)
            return { kind: 'unjudged' as const, enforce: 'tag' as const, reason: 'busy' as const };
          return text.includes('bad')
            ? { kind: 'mismatch' as const, enforce: 'reject' as const, field: '/bad', message: 'is not described' }
            : { kind: 'accepted' as const };
        }),
      ),
  };
}

const bodyOf = (id: string, more: object = {}): string => JSON.stringify({ id, type: 'test.happened', ...more });

test('tags what does not match, also where the type says reject, and judges each event once', async () => {
  const world = createWorld();
  const enforcement = refusingBad();
  const worker = createWorker(world, { enforcement });
  const records = [
    recordOf({ id: 'a', offset: 0, body: bodyOf('a', { bad: 1 }) }),
    recordOf({ id: 'b', offset: 1 }),
    recordOf({ id: 'a', offset: 2, body: bodyOf('a', { bad: 2 }) }),
    recordOf({ id: 'c', offset: 3, tenant: 'other' }),
  ];
  await worker.handle(records, never);
  expect(world.kafka.events().map(({ event_id, tags }) => [event_id, tags])).toEqual([
    ['a', { schema: 'mismatch' }],
    ['b', {}],
    ['c', {}],
  ]);
  expect(enforcement.asked.map(({ tenant, type, text }) => [tenant, type, text])).toEqual([
    ['default', 'test.happened', bodyOf('a', { bad: 1 })],
    ['default', 'test.happened', bodyOf('b')],
    ['other', 'test.happened', bodyOf('c')],
  ]);
  expect(records.every((record) => record.isDone())).toBe(true);

  // Duplicates by Redis are not judged.
  await worker.handle([recordOf({ id: 'b', offset: 4 })], never);
  expect(enforcement.asked).toHaveLength(3);
});

test('an event that is published again after a death is judged again', async () => {
  const world = createWorld();
  const given = () => recordOf({ id: 'a', offset: 0, body: bodyOf('a', { bad: 1 }) });
  const dying = createWorker(world, { enforcement: nothingEnforced, crashAt: { point: 'dedup.after-publish' } });
  await expect(dying.handle([given()], never)).rejects.toThrow(Crash);
  await createWorker(world, { enforcement: refusingBad() }).handle([given()], never);
  const [first, again] = world.kafka.events();
  expect(again?.id).toBe(first?.id);
  expect([first?.tags, again?.tags]).toEqual([{}, { schema: 'mismatch' }]);
});

test.each([
  ['gzip', gzipSync('{"id":"a","bad":1}'), 'mismatch'],
  // Bytes that are not what their encoding says are read as they stand.
  ['gzip', Buffer.from('{"id":"a","bad":1}'), 'mismatch'],
  ['compress', Buffer.from('{"id":"a","bad":1}'), 'mismatch'],
  ['compress', gzipSync('{"id":"a"}'), 'unjudged'],
])('reads a body under %s', async (encoding, body, tag) => {
  const world = createWorld();
  const record = recordOf({ id: 'a', offset: 0 });
  const encoded = { ...record, value: body, headers: { ...record.headers, [header.contentEncoding]: encoding } };
  await createWorker(world, { enforcement: refusingBad() }).handle([encoded], never);
  expect(world.kafka.events().map(({ tags }) => tags)).toEqual([{ schema: tag }]);
});

test('skips a byte order mark', async () => {
  const world = createWorld();
  const enforcement = refusingBad();
  await createWorker(world, { enforcement }).handle(
    [recordOf({ id: 'a', offset: 0, body: '\uFEFF{"id":"a"}' })],
    never,
  );
  expect(enforcement.asked.map(({ text }) => text)).toEqual(['{"id":"a"}']);
});
