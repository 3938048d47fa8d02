import fc from 'fast-check';
import { createdByDeadline, deadlineOf, type Pause, pausedBetween } from '#lib/contract';

const hourMs = 3_600_000;
const hour = hourMs * 1_000;
const life = (pauses: Pause[], days = 29) => ({ pauses, longestLifeMs: days * 24 * hourMs });

test('the deadline of a delivery is later by exactly the time of the pauses since its creation', () => {
  const pauses = [
    { from: 0, until: 10 * hour },
    { from: 20 * hour, until: 25 * hour },
  ];
  expect(deadlineOf(4 * hour, 72 * hourMs, life(pauses), 100 * hour)).toBe((4 + 72 + 6 + 5) * hour);
  expect(deadlineOf(12 * hour, 72 * hourMs, life(pauses), 100 * hour)).toBe((12 + 72 + 5) * hour);
  expect(deadlineOf(30 * hour, 72 * hourMs, life(pauses), 100 * hour)).toBe((30 + 72) * hour);
});

test('of a pause that is under way the time until then counts', () => {
  const pauses = [{ from: 10 * hour, until: 50 * hour }];
  expect(pausedBetween(pauses, 0, 30 * hour)).toBe(20 * hour);
  expect(deadlineOf(0, 72 * hourMs, life(pauses), 30 * hour)).toBe(92 * hour);
});

test('no deadline moves beyond the time for which its payload is kept, and none comes earlier than without pauses', () => {
  const pauses = [{ from: 0, until: 20 * 24 * hour }];
  expect(deadlineOf(0, 72 * hourMs, life(pauses, 6), 30 * 24 * hour)).toBe(6 * 24 * hour);
  expect(deadlineOf(0, 72 * hourMs, life(pauses, 2), 30 * 24 * hour)).toBe(72 * hour);
});

const history = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 0, max: 50 })), { maxLength: 5 })
  .map((gaps) => {
    let at = 0;
    return gaps.map(([gap, length]): Pause => {
      const from = at + gap * hour;
      at = from + length * hour;
      return { from, until: at };
    });
  });

test('what is past its deadline is what was created by the time that is asked for', () => {
  fc.assert(
    fc.property(
      history,
      fc.integer({ min: 1, max: 100 }),
      fc.integer({ min: 1, max: 12 }),
      fc.integer({ min: 0, max: 500 }),
      fc.integer({ min: 0, max: 500 }),
      (pauses, windowHours, lifeDays, atHours, ageHours) => {
        const at = atHours * hour;
        const createdAt = at - ageHours * hour;
        const isOver = deadlineOf(createdAt, windowHours * hourMs, life(pauses, lifeDays), at) <= at;
        expect(createdAt <= createdByDeadline(windowHours * hourMs, life(pauses, lifeDays), at)).toBe(isOver);
      },
    ),
    { numRuns: 3_000 },
  );
});
