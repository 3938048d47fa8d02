import { recordOf } from './records.ts';
import { createWorker, createWorld, never } from './world.ts';

const records = () => [recordOf({ id: 'a', offset: 1 }), recordOf({ id: 'b', offset: 2, tenant: 'other' })];

test('a webhook whose event was erased is not published again, and takes no key', async () => {
  const world = createWorld();
  await createWorker(world).handle(records(), never);
  const [first] = world.kafka.events();
  world.kafka.written.splice(0);

  // Its row and its trace are lost, as after a restore; the event's id is a function of the record.
  const restored = createWorld();
  const worker = createWorker(restored, {
    erased: {
      among: async (events) => new Set(events.filter(({ event_id }) => event_id === first?.id)),
      hasTenant: () => false,
    },
  });
  const again = records();
  await worker.handle(again, never);
  expect(restored.kafka.events().map(({ tenant }) => tenant)).toEqual(['other']);
  expect(again.every((record) => record.isDone())).toBe(true);
  expect(await worker.count('erased')).toBe(1);
});

test('webhooks of a deleted tenant are dropped and counted', async () => {
  const world = createWorld();
  const dropped: string[] = [];
  const worker = createWorker(world, {
    erased: {
      among: async (events) => new Set(events.filter(({ tenant }) => tenant === 'other')),
      hasTenant: (tenant) => tenant === 'other',
    },
    onDropped: (tenant) => void dropped.push(tenant),
  });
  await worker.handle(records(), never);
  expect(world.kafka.events().map(({ tenant }) => tenant)).toEqual(['default']);
  expect(dropped).toEqual(['other']);
});
