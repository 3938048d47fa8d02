import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

/** The files that write a line for each event, webhook, attempt or request. */
const files = [
  'services/ingress/answering/answer.ts',
  'services/dedup/accept-once.ts',
  'services/dedup/settle.ts',
  'services/dispatcher/fan-out/fan-out.ts',
  'services/dispatcher/send/dispatch.ts',
  'services/api/app.ts',
  'services/api/outbox/publish-outbox.ts',
  'services/console/app.ts',
];

/** So many lines above a call it must have been asked for its level; the early return of a function included. */
const above = 7;

test.each(files)('%s puts no line of a single event together where its level is off', (file) => {
  const lines = readFileSync(resolve(file), 'utf8').split('\n');
  const unasked = lines.filter(
    (line, at) =>
      /\blog\.(?:debug|info)\(/.test(line) &&
      !lines.slice(Math.max(0, at - above), at + 1).some((each) => each.includes('isOn(')),
  );
  expect(unasked).toEqual([]);
});
