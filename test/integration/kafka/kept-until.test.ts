/** The times of `readKeepTimes` hold on a broker: afterwards nothing of a record is on its disk. The receipts of erasures are made of them. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { provideTools } from '#deploy/local/install/install.ts';
import { java } from '#deploy/local/install/tools.ts';
import { createProcesses } from '#deploy/local/processes/processes.ts';
import { createKafka } from '#deploy/local/servers/kafka.ts';
import { provideServerJars } from '#deploy/local/servers/servers.ts';
import { freePorts } from '#deploy/local/stack/free-ports.ts';
import { createProducer, createTopics, readKeepTimes } from '#lib/kafka';
import { silentLogger as log, systemClock as clock } from '#lib/runtime';
import { Metrics } from '#lib/telemetry';
import { startOrphanReaper } from '../../support/orphan-reaper.ts';
import { waitUntil } from '../../support/wait-until.ts';

const dir = mkdtempSync(join(tmpdir(), 'hookline-kept-'));
const checkMs = 300;
let brokers: string[];
let stop: () => Promise<void>;

/** One broker, which looks for what is over every moment, not every five minutes. */
beforeAll(async () => {
  const say = (line: string): void => console.error(line);
  const programs = await provideTools({ java }, say);
  const jars = await provideServerJars(programs.java, say);
  const [port = 0, controllerPort = 0] = await freePorts(2);
  const kafka = createKafka({
    dir,
    brokers: [{ id: 1, port, controllerPort, listeners: [] }],
    processes: createProcesses({ run: join(dir, 'run'), log: join(dir, 'log') }),
    java: programs.java,
    jars: jars.kafka,
    shortLived: true,
    settings: { 'log.retention.check.interval.ms': String(checkMs), 'log.initial.task.delay.ms': String(checkMs) },
  });
  const reaper = startOrphanReaper();
  await kafka.start();
  reaper.watch(kafka.pid(1) ?? 0);
  brokers = [`127.0.0.1:${port}`];
  stop = async () => {
    await kafka.kill(1);
    reaper.stop();
  };
});
afterAll(async () => {
  await stop?.();
  rmSync(dir, { recursive: true, force: true });
});

const isOnDisk = (topic: string, text: string): boolean =>
  readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.includes(`/${topic}-0`) && file.includes('.log'))
    .some((file) => bytesOf(join(dir, file)).includes(text));

/** None of a file that the broker removes meanwhile. */
function bytesOf(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.alloc(0);
    throw error;
  }
}

test('nothing of a record is on the broker after that time, whether its topic is written to or not', async () => {
  const config = { 'retention.ms': '2000', 'segment.ms': '3000', 'file.delete.delay.ms': '1000' };
  const topics = ['idle', 'busy'];
  const definitions = topics.map((name) => ({ name, partitions: 1, replicationFactor: 1, config }));
  await createTopics({ brokers }, definitions, { clock, log });
  const keptMs = 2_000 + 3_000 + 1_000;
  const keepTimes = await readKeepTimes({ brokers }, topics, { clock, log });
  expect([...keepTimes]).toEqual(topics.map((topic) => [topic, keptMs + 300_000]));

  const producer = createProducer({ clock, log, brokers, clientId: 'test', metrics: new Metrics() });
  await producer.start();
  const send = (topic: string, text: string) =>
    producer.send({ topic, key: text, value: Buffer.from(text), headers: { text } });
  try {
    const text = 'marker-of-what-is-erased';
    for (const topic of topics) await send(topic, text);
    const sentAtMs = performance.now();
    expect(topics.filter((topic) => isOnDisk(topic, text))).toEqual(topics);
    // The broker of the test looks more often.
    const goneByMs = sentAtMs + keptMs + checkMs;
    await waitUntil(
      'the time has passed',
      async () => {
        await send('busy', 'another');
        return performance.now() > goneByMs + 3_000;
      },
      { timeoutMs: 60_000, everyMs: 100 },
    );
    expect(topics.filter((topic) => isOnDisk(topic, text))).toEqual([]);
    expect(isOnDisk('busy', 'another')).toBe(true);
  } finally {
    await producer.stop();
  }
});
