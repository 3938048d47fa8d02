import { formatMicros } from '#lib/runtime';
import { isExpired, readPosition } from '../../../../services/api/events/polling/position.ts';
import { testCursors } from '../test-polling.ts';

const removedAt = Date.UTC(2026, 5, 1) * 1_000;
const removedTo = formatMicros(removedAt);

function read(given: { since?: number; cursor?: number }) {
  const query = {
    ...(given.since === undefined ? {} : { updated_at_gte: formatMicros(given.since) }),
    ...(given.cursor === undefined ? {} : { cursor: testCursors.write('acme', given.cursor) }),
  };
  const result = readPosition('acme', query, testCursors);
  if ('errors' in result) throw new Error(JSON.stringify(result.errors));
  return result.position;
}

test.each([
  ['the cursor behind the last that was removed', { cursor: removedAt + 1 }, false],
  ['the cursor before it', { cursor: removedAt }, true],
  ['the last that was removed itself', { since: removedAt }, false],
  ['one before it', { since: removedAt - 1 }, true],
  ['an old cursor and a later time', { cursor: 5, since: removedAt + 1 }, false],
  ['an old time and a later cursor', { cursor: removedAt + 1, since: 5 }, false],
  ['an old cursor and an older time', { cursor: removedAt - 5, since: 5 }, true],
  ['1970, which nobody has read up to', { since: 0 }, false],
])('%s: expired is %j', (_what, given, expired) => {
  const position = read(given);
  expect(position !== undefined && isExpired(position, removedTo)).toBe(expired);
  expect(position !== undefined && isExpired(position, null)).toBe(false);
});

test('of a cursor and a time, the later one counts', () => {
  expect(read({ cursor: 10, since: 20 })?.from).toBe(formatMicros(20));
  expect(read({ cursor: 20, since: 10 })?.from).toBe(formatMicros(20));
  expect(read({})).toBeUndefined();
});

test('every parameter that is wrong is named', () => {
  expect(readPosition('acme', { updated_at_gte: 'yesterday', cursor: 'x' }, testCursors)).toMatchObject({
    errors: [{ field: 'updated_at_gte' }, { field: 'cursor' }],
  });
});
