import fc from 'fast-check';
import { chooseAnswer, chooseDelayMs, readAnswerPlan } from '../../../services/cli/listen/listener.ts';
import { seededRandom } from '../../support/seeded-random.ts';

test('without options all is answered as the signature has it, at once', () => {
  const plan = readAnswerPlan({});
  expect(chooseAnswer(plan, 200, () => 0)).toBe(200);
  expect(chooseAnswer(plan, 401, () => 0.99)).toBe(401);
  expect(chooseDelayMs(plan, () => 0.99)).toBe(0);
});

test('--status stands for whatever the signature has it, but for the share that fails', () => {
  const plan = readAnswerPlan({ status: '204', fail: ['500@0.5'] });
  expect(chooseAnswer(plan, 401, () => 0.5)).toBe(204);
  expect(chooseAnswer(plan, 200, () => 0.49)).toBe(500);
});

test('each kind of failure has its share', () => {
  const plan = readAnswerPlan({ fail: ['500@0.3', 'timeout@0.1', 'reset@.1'] });
  const random = seededRandom(20);
  const counts: Record<string, number> = {};
  const requests = 100_000;
  for (let n = 0; n < requests; n += 1) {
    const answer = chooseAnswer(plan, 200, random);
    counts[answer] = (counts[answer] ?? 0) + 1;
  }
  const shares = { 500: 0.3, timeout: 0.1, reset: 0.1, 200: 0.5 };
  for (const [answer, share] of Object.entries(shares))
    expect(Math.abs((counts[answer] ?? 0) / requests - share)).toBeLessThan(0.005);
});

test('shares that make up the whole leave nothing to be answered otherwise', () => {
  for (const fail of [['500@1'], ['500@0.7', '502@0.2', 'reset@0.1'], Array<string>(10).fill('503@0.1')]) {
    const plan = readAnswerPlan({ fail });
    fc.assert(
      fc.property(fc.double({ min: 0, max: 0.999_999, noNaN: true }), (drawn) =>
        expect(chooseAnswer(plan, 200, () => drawn)).not.toBe(200),
      ),
    );
  }
});

test('a delay is a time, or anything between two', () => {
  expect(chooseDelayMs(readAnswerPlan({ delay: '200ms' }), () => 0.7)).toBe(200);
  const plan = readAnswerPlan({ delay: '1s..3s' });
  expect([0, 0.5, 1].map((drawn) => chooseDelayMs(plan, () => drawn))).toEqual([1_000, 2_000, 3_000]);
});

test.each([
  [{ fail: ['500'] }, '--fail must be STATUS@SHARE such as 500@0.3'],
  [{ fail: ['500@0'] }, '--fail must be STATUS@SHARE such as'],
  [{ fail: ['500@1.5'] }, '--fail must be STATUS@SHARE such as'],
  [{ fail: ['500@50%'] }, '--fail must be STATUS@SHARE such as'],
  [{ fail: ['hang@0.5'] }, '--fail must be STATUS@SHARE such as'],
  [{ fail: ['100@0.5'] }, '--fail must be a status from 200 to 599, not 100'],
  [{ fail: ['500@0.6', 'reset@0.5'] }, '--fail: the shares add up to 1.1, more than 1'],
  [{ status: 'ok' }, '--status must be a status'],
  [{ status: '600' }, '--status must be a status'],
  [{ delay: '5' }, '--delay must be a time such as 200ms'],
  [{ delay: '2s..1s' }, 'or a range such as 1s..3s'],
  [{ delay: '1s..2s..3s' }, 'or a range such as 1s..3s'],
  [{ delay: '-1s' }, '--delay must be a time such as'],
  [{ delay: '9999m' }, '--delay must be a time such as'],
])('%j is a wrong call', (given, message) => {
  expect(() => readAnswerPlan(given)).toThrow(expect.objectContaining({ exitCode: 2 }) as Error);
  expect(() => readAnswerPlan(given)).toThrow(message);
});
