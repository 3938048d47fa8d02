import { matchEndpoints } from '../../../services/dispatcher/match-endpoints.ts';
import { anEndpoint, anEvent, secondMicros, startMicros } from './fixtures.ts';

const matches = (endpoint: Parameters<typeof anEndpoint>[0], event: Parameters<typeof anEvent>[0] = {}): boolean =>
  matchEndpoints(anEvent(event), [anEndpoint(endpoint)]).length === 1;

describe('an endpoint gets an event', () => {
  it('of any type and source where it names none', () => {
    expect(matches({})).toBe(true);
  });

  it.each([
    [['order.created'], true],
    [['order.paid', 'order.created'], true],
    [['order'], false],
    [['order.*'], true],
    [['*'], true],
    [['orders.*'], false],
    [['order.created.*'], false],
    [['order.create'], false],
  ])('of the types %j: %s', (eventTypes, expected) => {
    expect(matches({ eventTypes })).toBe(expected);
  });

  it('below a prefix at any depth, but not the prefix itself', () => {
    expect(matches({ eventTypes: ['order.*'] }, { type: 'order.item.added' })).toBe(true);
    expect(matches({ eventTypes: ['order.*'] }, { type: 'order' })).toBe(false);
    expect(matches({ eventTypes: ['order.*'] }, { type: 'orderly.x' })).toBe(false);
  });

  it('of the sources that it names', () => {
    expect(matches({ sourceIds: ['src_1'] })).toBe(true);
    expect(matches({ sourceIds: ['src_2'] })).toBe(false);
    expect(matches({ sourceIds: ['src_1'], eventTypes: ['other'] })).toBe(false);
  });

  it('that was accepted 5 s or more after its creation', () => {
    expect(matches({ createdAt: startMicros - 5 * secondMicros })).toBe(true);
    expect(matches({ createdAt: startMicros - 5 * secondMicros + 1 })).toBe(false);
  });

  it('that was accepted before it was deleted or disabled, whenever the fan-out comes to it', () => {
    for (const closedAt of ['deletedAt', 'disabledAt']) {
      expect(matches({ [closedAt]: startMicros + 1 })).toBe(true);
      expect(matches({ [closedAt]: startMicros })).toBe(false);
    }
  });
});
