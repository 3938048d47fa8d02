import { topicDefinitions, topicsOf } from '#lib/contract';
import { readConfig } from '#lib/config';
import { fields } from '../../../services/dedup/config.ts';

const config = readConfig(fields, {
  HOOKLINE_DATABASE_URL: 'postgres://localhost/x',
  HOOKLINE_SCHEMA_REGISTRY_URL: 'http://localhost',
});

it('keeps expired keys for longer than records wait on their topic: one that waited there would be new again', () => {
  const received = topicDefinitions({ topicPrefix: 'x.', partitions: 1, replicationFactor: 1 }).find(
    ({ name }) => name === topicsOf('x.')['webhooks.received'],
  );
  const retentionMs = Number(received?.config?.['retention.ms']);
  expect(config.keepExpiredSeconds * 1000).toBeGreaterThanOrEqual(retentionMs + 24 * 3600_000);
});
