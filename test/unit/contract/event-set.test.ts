import { eventSetHeader, header, maxEventSetEndpoints, parseEventSet } from '#lib/contract';

const parsed = (text: string) => parseEventSet({ [header.fanOut]: text });
const ids = (count: number): string[] => Array.from({ length: count }, (_, n) => `ep_${n}`);

describe('the set of an event in its header', () => {
  it.each([0, 1, maxEventSetEndpoints])('is read as it was written, with %i endpoints', (count) => {
    const set = { at: 1_767_225_600_000_000, endpointIds: ids(count) };
    expect(parseEventSet(eventSetHeader(set))).toEqual(set);
  });

  it('is none where there is no such header', () => {
    expect(parseEventSet({})).toBeUndefined();
  });

  it.each([
    '',
    'null',
    '[]',
    '{}',
    '{"at":1}',
    '{"at":-1,"endpointIds":[]}',
    '{"at":1.5,"endpointIds":[]}',
    '{"at":"1","endpointIds":[]}',
    '{"at":1,"endpointIds":{}}',
    '{"at":1,"endpointIds":[1]}',
    '{"at":1,"endpointIds":[""]}',
    '{"at":1,"endpointIds":["ep\\u0000"]}',
    '{"at":1,"endpointIds":["ep_1","ep_1"]}',
    JSON.stringify({ at: 1, endpointIds: ids(maxEventSetEndpoints + 1) }),
  ])('is malformed: %s', (text) => {
    expect(parsed(text)).toMatchObject({ malformed: expect.stringContaining(header.fanOut) as string });
  });
});
