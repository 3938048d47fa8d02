import type { OutgoingRecord } from '#lib/kafka';
import { AppError, createManualClock, createWaitOut, silentLogger } from '#lib/runtime';
import { type Publication, publishAll } from '../../../services/dispatcher/publishing/publish-all.ts';
import { createPublish } from '../../../services/dispatcher/publishing/publish.ts';
import { createFakeKafka, never } from './fixtures.ts';

/** Names with a letter and a number are in the order of their letter. */
const publicationOf = (name: string): Publication => ({
  record: { topic: 't', key: null, value: Buffer.from(name), headers: {} },
  order: /^[a-z]\d/.test(name) ? name.slice(0, 1) : undefined,
});

function createWorld(refusedOnce: string[]) {
  const clock = createManualClock();
  const kafka = createFakeKafka();
  const refused = new Set(refusedOnce);
  kafka.answer = ({ value }: OutgoingRecord) => {
    if (refused.delete(value.toString())) throw new AppError('kafka_unavailable', 'not acknowledged');
  };
  const waitOut = createWaitOut({ clock, log: silentLogger });
  const publish = createPublish({ producer: kafka, waitOut, clock, log: silentLogger });
  const sent = (): string[] => kafka.sent.map(({ value }) => value.toString());
  const publishOne = ({ record }: Publication): Promise<void> => publish(record, never);
  return { clock, publish, publishOne, sent, kafka };
}

describe('publishing many', () => {
  const names = ['a1', 'a2', 'free', 'b1', 'a3', 'b2'];

  it('keeps those of one order behind one that has to be sent again, and holds up no others', async () => {
    const { clock, publishOne: publish, sent } = createWorld(['a1']);
    const publishing = publishAll(names.map(publicationOf), { publish, limit: 100 });
    await clock.advance(0);
    expect(sent()).toEqual(['free', 'b1', 'b2']);
    await clock.advance(5_000);
    await publishing;
    expect(sent()).toEqual(['free', 'b1', 'b2', 'a1', 'a2', 'a3']);
  });

  it('would have them stand in another order, if they did not wait for each other', async () => {
    const { clock, publishOne: publish, sent } = createWorld(['a1']);
    const orderless = names.map((name) => ({ ...publicationOf(name), order: undefined }));
    const publishing = publishAll(orderless, { publish, limit: 100 });
    await clock.advance(5_000);
    await publishing;
    expect(sent().filter((name) => name.startsWith('a'))).not.toEqual(['a1', 'a2', 'a3']);
  });

  it('keeps the order where as many of one wait as may be under way at once', async () => {
    const { clock, publishOne: publish, sent } = createWorld(['a1', 'a2']);
    const publishing = publishAll(names.map(publicationOf), { publish, limit: 2 });
    await clock.advance(30_000);
    await publishing;
    expect(sent().filter((name) => name.startsWith('a'))).toEqual(['a1', 'a2', 'a3']);
    expect([...sent()].sort()).toEqual([...names].sort());
  });

  it('fails where it may wait no longer, and sends nothing that stands behind', async () => {
    const { clock, publish, sent, kafka } = createWorld([]);
    kafka.answer = ({ value }) => {
      if (value.toString() === 'a1') throw new AppError('kafka_unavailable', 'away');
    };
    const stopping = new AbortController();
    const publishing = publishAll(['a1', 'a2'].map(publicationOf), {
      publish: ({ record }) => publish(record, stopping.signal),
      limit: 10,
    });
    const failed = expect(publishing).rejects.toMatchObject({ code: 'stopped' });
    await clock.advance(1_000);
    stopping.abort();
    await clock.advance(1_000);
    await failed;
    expect(sent()).toEqual([]);
  });
});
