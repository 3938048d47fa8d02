import { secretsContext, type SourceSettings } from '#lib/contract';
import { createSecretBox } from '#lib/secret-box';
import { readSource } from '../../../services/ingress/sources/source.ts';
import { secretBox, sourceRow } from './harness.ts';

const problemOf = (row: ReturnType<typeof sourceRow>): string => {
  const read = readSource(row, secretBox);
  return 'problem' in read ? read.problem : 'none';
};

test('during a rotation both secrets are valid, and the old one ends at its time', () => {
  const endsAtMs = Date.UTC(2026, 0, 2);
  const stored = [{ secret: 'new' }, { secret: 'old', expires_at: '2026-01-02T00:00:00.000000Z' }];
  const read = readSource(sourceRow({ stored }), secretBox);
  if ('problem' in read || read.source.state !== 'active') throw new Error('not read');
  expect(read.source.secretsAt(endsAtMs - 1)).toEqual(['new', 'old']);
  expect(read.source.secretsAt(endsAtMs)).toEqual(['new']);
});

test('a deleted source needs neither secrets nor settings that can be read', () => {
  const row = { ...sourceRow({ deleted_at: '2026-01-01T00:00:00.000000Z', scheme: 'gone' }), secrets: Buffer.alloc(0) };
  expect(readSource(row, secretBox)).toEqual({ source: { state: 'deleted', id: row.id, tenant: row.tenant } });
});

describe('a row that can’t be used says why, and no secret', () => {
  test.each<[unknown, string]>([
    [[], 'secrets: not a list of at least one'],
    [{ secret: 'x' }, 'secrets: not a list of at least one'],
    [[{ secret: '' }], 'secrets: one is empty'],
    [[{ secret: 'whsec_' }], 'secrets: one is empty'],
    [[{ secret: 7 }], 'secrets: one is empty'],
    [[null], 'secrets: one is empty'],
    [[{ secret: 'x', expires_at: 'tomorrow' }], 'secrets: an expires_at is no time'],
  ])('secrets %j', (stored, problem) => {
    expect(problemOf(sourceRow({ stored }))).toBe(problem);
  });

  test('secrets that are no JSON are not quoted', () => {
    const row = sourceRow({});
    row.secrets = secretBox.seal('whsec_plain', secretsContext('sources', row.tenant, row.id));
    expect(problemOf(row)).toBe('secrets: not JSON');
  });

  test('secrets of another row, or under another key', () => {
    expect(problemOf({ ...sourceRow({}), secrets: sourceRow({}).secrets })).toMatch(/^secrets: .*does not open/);
    const otherBox = createSecretBox([{ id: 'other', key: Buffer.alloc(32, 2) }]);
    expect(readSource(sourceRow({}), otherBox)).toEqual({ problem: expect.stringMatching(/^secrets: /) as string });
  });

  test.each<[unknown, string]>([
    [null, 'settings: not an object'],
    [{ signature_header: 'a b' }, 'settings: signature_header is not valid'],
    [{ dedup_id: [] }, 'settings: dedup_id is not valid'],
    [{ dedup_id: '/id' }, 'settings: dedup_id is not valid'],
    [{ dedup_ttl_seconds: 0 }, 'settings: dedup_ttl_seconds is not valid'],
    [{ dedup_ttl_seconds: 1.5 }, 'settings: dedup_ttl_seconds is not valid'],
    [{ timestamp_tolerance_seconds: -1 }, 'settings: timestamp_tolerance_seconds is not valid'],
    [{ response_status: 500 }, 'settings: response_status is not valid'],
    [
      { dedup_id: ['id'] },
      'settings: dedup_id, event_type_from, ordering_key or tags_from has what is neither `header:Name` nor a JSON pointer',
    ],
    [
      { event_type_from: ['header:'] },
      'settings: dedup_id, event_type_from, ordering_key or tags_from has what is neither `header:Name` nor a JSON pointer',
    ],
    [
      { dedup_id: ['/a~2'] },
      'settings: dedup_id, event_type_from, ordering_key or tags_from has what is neither `header:Name` nor a JSON pointer',
    ],
  ])('settings %j', (settings, problem) => {
    expect(problemOf(sourceRow({ settings: settings as SourceSettings }))).toBe(problem);
  });

  test('a scheme that this version does not know', () => {
    expect(problemOf(sourceRow({ scheme: 'carrier-pigeon' }))).toBe('scheme "carrier-pigeon" is not known here');
  });
});
