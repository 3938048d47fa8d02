import { countPartitions, createTopics } from '#lib/kafka';
import { silentLogger, systemClock } from '#lib/runtime';
import { serverAddresses, uniquePrefix } from '../../support/servers.ts';

const prefix = uniquePrefix('topics');
const options = { clock: systemClock, log: silentLogger };
const brokers = (): string[] => serverAddresses().kafkaBrokers;
const one = (name: string) => ({ name: `${prefix}${name}`, partitions: 3, replicationFactor: 1 });

test('creates the topics that are missing, and leaves the others as they are', async () => {
  expect(await createTopics({ brokers: brokers() }, [one('a')], options)).toEqual([one('a').name]);
  expect(await createTopics({ brokers: brokers() }, [{ ...one('a'), partitions: 5 }, one('b')], options)).toEqual([
    one('b').name,
  ]);
  expect(await countPartitions({ brokers: brokers() }, one('a').name, options)).toBe(3);
});

test('creates each topic once, when several processes start at the same time', async () => {
  const definitions = ['c', 'd', 'e'].map(one);
  const created = await Promise.all([1, 2, 3].map(() => createTopics({ brokers: brokers() }, definitions, options)));
  expect(created.flat().sort()).toEqual(definitions.map(({ name }) => name));
});

test('says at once what the cluster will never take', async () => {
  const wrong = { ...one('wrong'), config: { 'no.such.setting': '1' } };
  await expect(createTopics({ brokers: brokers() }, [wrong], options)).rejects.toMatchObject({
    code: 'config_invalid',
  });
  const named = { ...one('wrong'), name: 'no spaces allowed' };
  await expect(createTopics({ brokers: brokers() }, [named], options)).rejects.toMatchObject({
    code: 'config_invalid',
  });
});

test('gives up at its time limit, when the cluster is away or too small', async () => {
  const briefly = { ...options, timeoutMs: 500 };
  await expect(createTopics({ brokers: ['127.0.0.1:1'] }, [one('f')], briefly)).rejects.toMatchObject({
    code: 'kafka_unavailable',
  });
  const threefold = { ...one('f'), replicationFactor: 3 };
  await expect(createTopics({ brokers: brokers() }, [threefold], briefly)).rejects.toMatchObject({
    code: 'kafka_unavailable',
  });
});

test('gives up counting the partitions of a topic that does not exist', async () => {
  await expect(
    countPartitions({ brokers: brokers() }, `${prefix}none`, { ...options, timeoutMs: 500 }),
  ).rejects.toMatchObject({
    code: 'kafka_unavailable',
  });
});
