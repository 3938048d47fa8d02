import { avroTopics, readSchema, topicDefinitions, topicNames } from '#lib/contract';

describe('topics as they are created', () => {
  const definitions = topicDefinitions({ topicPrefix: 'p.', partitions: 12, replicationFactor: 3 });

  test('are all of the contract’s, prefixed', () => {
    expect(definitions.map((definition) => definition.name)).toEqual(topicNames.map((name) => `p.${name}`));
  });

  test('lose nothing with one broker of three', () => {
    for (const { config, replicationFactor } of definitions) {
      expect(replicationFactor).toBe(3);
      expect(config).toMatchObject({ 'min.insync.replicas': '2', 'unclean.leader.election.enable': 'false' });
    }
  });

  test('work on a single broker', () => {
    for (const { config } of topicDefinitions({ topicPrefix: '', partitions: 1, replicationFactor: 1 })) {
      expect(config).toMatchObject({ 'min.insync.replicas': '1' });
    }
  });
});

test.each(avroTopics)('the schema of %s is a record in the project’s namespace', (topic) => {
  expect(readSchema(topic)).toMatchObject({ type: 'record', namespace: 'hookline' });
});
