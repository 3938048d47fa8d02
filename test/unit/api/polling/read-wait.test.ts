import { readWait } from '../../../../services/api/events/polling/read-wait.ts';

test.each([
  [undefined, undefined, undefined],
  ['0', undefined, { seconds: 0, preferred: false }],
  ['30', undefined, { seconds: 30, preferred: false }],
  ['60', undefined, { seconds: 60, preferred: false }],
  ['5', 'wait=10', { seconds: 5, preferred: false }],
  [undefined, 'wait=10', { seconds: 10, preferred: true }],
  [undefined, 'wait="10"', { seconds: 10, preferred: true }],
  [undefined, 'respond-async, Wait = 10 ; x=y, wait=20', { seconds: 10, preferred: true }],
  [undefined, 'wait=600', { seconds: 60, preferred: true }],
  [undefined, ['return=minimal', 'wait=3'], { seconds: 3, preferred: true }],
  [undefined, 'wait', undefined],
  [undefined, 'wait=soon', undefined],
  [undefined, 'wait=-1', undefined],
  [undefined, 'await=10', undefined],
  [undefined, 'return=minimal', undefined],
])('wait=%j with Prefer %j is %j', (parameter, prefer, wait) => {
  expect(readWait(parameter, prefer)).toEqual({ wait });
});

test.each(['', '61', '100', '1.5', '-1', 'ten', ' 5', '5s'])('wait=%j is refused, naming it', (parameter) => {
  expect(readWait(parameter, 'wait=5')).toMatchObject({ errors: [{ field: 'wait' }] });
});
