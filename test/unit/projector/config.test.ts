import { endpointDefaults } from '#lib/contract';
import { readConfig } from '#lib/config';
import { fields, retentionRelations } from '../../../services/projector/config.ts';

const read = (environment: Record<string, string>) =>
  readConfig(
    fields,
    {
      HOOKLINE_DATABASE_URL: 'postgres://localhost/x',
      HOOKLINE_SCHEMA_REGISTRY_URL: 'http://localhost',
      ...environment,
    },
    [retentionRelations],
  );

test('payloads are kept for thirty days and events for ninety, unless it is said otherwise', () => {
  expect(read({})).toMatchObject({ payloadRetentionDays: 30, eventRetentionDays: 90 });
});

test('an event must outlive its payload', () => {
  const days = (payloads: number, events: number) => () =>
    read({ HOOKLINE_PAYLOAD_RETENTION_DAYS: String(payloads), HOOKLINE_EVENT_RETENTION_DAYS: String(events) });
  expect(days(60, 61)).not.toThrow();
  expect(days(60, 60)).toThrow('must be more than');
  expect(days(3_649, 3_650)).not.toThrow();
});

test('payloads outlive the default retry window by a day, and events the longest time that a source remembers its keys', () => {
  const windowDays = endpointDefaults.retry.window_seconds / (24 * 3600);
  expect(() => read({ HOOKLINE_PAYLOAD_RETENTION_DAYS: String(windowDays) })).toThrow(
    'HOOKLINE_PAYLOAD_RETENTION_DAYS',
  );
  expect(() => read({ HOOKLINE_PAYLOAD_RETENTION_DAYS: String(windowDays + 1) })).not.toThrow();
  const short = { HOOKLINE_PAYLOAD_RETENTION_DAYS: '4' };
  expect(() => read({ ...short, HOOKLINE_EVENT_RETENTION_DAYS: '30' })).toThrow('HOOKLINE_EVENT_RETENTION_DAYS');
  expect(() => read({ ...short, HOOKLINE_EVENT_RETENTION_DAYS: '31' })).not.toThrow();
});
