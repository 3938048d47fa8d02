import type { Fact } from '../../../services/projector/facts.ts';
import { createReadAhead } from '../../../services/projector/read-ahead.ts';
import type { Reading } from '../../../services/projector/read-record.ts';
import { eventFact } from './facts.ts';
import { incomingRecord } from './incoming-record.ts';

const fact = eventFact({ tenant: 'acme', eventId: 'evt' });

function setUp(answers: (Reading | Error)[]) {
  const asked: Fact[] = [];
  const ahead = createReadAhead(
    async () => {
      const answer = answers.shift() ?? new Error('read too often');
      if (answer instanceof Error) throw answer;
      return answer;
    },
    (read) => asked.push(read) > 0,
  );
  return { ahead, asked };
}

test('a record that is held back is read once', async () => {
  const { ahead, asked } = setUp([{ fact }]);
  const record = incomingRecord({ topic: 'events' });
  expect(await ahead.isAwaited(record)).toBe(true);
  expect(await ahead.read(record)).toEqual({ fact });
  expect(asked).toEqual([fact]);
});

test('a record that was not held back is read when it is handed out', async () => {
  const { ahead, asked } = setUp([{ fact }]);
  expect(await ahead.read(incomingRecord({ topic: 'events' }))).toEqual({ fact });
  expect(asked).toEqual([]);
});

test('nobody waits for what can’t be read, and it is told why when it is handed out', async () => {
  const away = new Error('the registry is away');
  const { ahead } = setUp([away, away, { fact }, { malformed: 'no Avro' }]);
  const record = incomingRecord({ topic: 'events' });
  expect(await ahead.isAwaited(record)).toBe(false);
  await expect(ahead.read(record)).rejects.toThrow(away);
  expect(await ahead.read(record)).toEqual({ fact });
  expect(await ahead.isAwaited(incomingRecord({ topic: 'events' }))).toBe(false);
});
