import { filterForm } from '../../../services/console/ui/lists.ts';
import { byteCount, payloadText } from '../../../services/console/ui/payload.ts';
import { elapsed } from '../../../services/console/ui/times.ts';

test.each([
  ['2026-01-01T00:00:00.000100Z', '2026-01-01T00:00:00.041100Z', '+0.041 s'],
  ['2026-01-01T00:00:00.000000Z', '2026-01-01T00:00:59.999400Z', '+59.999 s'],
  ['2026-01-01T00:00:00Z', '2026-01-01T00:02:05.9Z', '+2 min 5 s'],
  ['2026-01-01T00:00:00Z', '2026-01-01T03:12:00Z', '+3 h 12 min'],
  ['2026-01-01T00:00:00Z', '2026-01-03T04:00:00Z', '+2 d 4 h'],
  ['2026-01-01T00:00:01Z', '2026-01-01T00:00:00.5Z', '−0.500 s'],
])('from %s to %s it is %s', (from, to, shown) => {
  expect(elapsed(from, to)).toBe(shown);
});

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1_204, '1.2 kB'],
  [999_949, '999.9 kB'],
  [999_950, '1 MB'],
  [1_048_576, '1 MB'],
])('%i bytes are %s', (bytes, shown) => {
  expect(byteCount(bytes)).toBe(shown);
});

test.each([
  ['', 'empty'],
  ['{}', 'json'],
  ['\ufeff{}', 'text'],
  ['a\tb\r\n', 'text'],
  ['a\u001bb', 'binary'],
])('a payload of %j is %s', async (text, kind) => {
  const payload = { bytes: Buffer.from(text), contentType: '', contentEncoding: undefined };
  expect(await payloadText(payload)).toMatchObject({ kind });
});

describe('rare filters', () => {
  const form = (query: string, errors: { field: string; message: string }[] = []): string =>
    filterForm({
      action: '/x',
      filters: [
        { kind: 'text', name: 'often', label: 'Often' },
        { kind: 'text', name: 'tag', label: 'Tag', isRare: true, isRepeated: true },
      ],
      query: new URLSearchParams(query),
      errors,
    }).toString();

  test('are behind one line until one is set, or wrong', () => {
    expect(form('often=1')).toContain('<details class="more-filters"><summary>');
    expect(form('tag=a%3A1')).toContain('<details class="more-filters" open>');
    expect(form('', [{ field: 'tag', message: 'is wrong' }])).toContain('<details class="more-filters" open>');
  });

  test('have a field for each value, with an id of its own, and one more', () => {
    const repeated = form('tag=a%3A1&tag=b%3A2');
    const fields = [...repeated.matchAll(/id="([^"]*)" name="tag" value="([^"]*)"/g)].map(([, ...field]) => field);
    expect(fields).toEqual([
      ['field-tag', 'a:1'],
      ['field-tag-2', 'b:2'],
      ['field-tag-3', ''],
    ]);
  });
});
