/** A process that sends webhooks as a job says, and reports; started by load.ts. */
import { systemClock } from '#lib/runtime';
import { createLoopDelay } from '../../../services/ingress/load-shedding/loop-delay.ts';
import { signAsHookline } from '../sign-webhook.ts';
import { createConnection, type Connection } from './connection.ts';
import { addLatency, noLatencies } from './latencies.ts';
import type { LoadJob, LoadReport } from './load.ts';

const tickMs = 2;
/** For the last answers, after the last was sent. */
const lastAnswersMs = 16_000;

process.once('message', (job) => {
  void sendLoad(job as LoadJob).then((report) => process.send?.(report));
});

async function sendLoad(job: LoadJob): Promise<LoadReport> {
  const { hostname, port } = new URL(job.ingressUrl);
  const report: LoadReport = {
    due: 0,
    held: 0,
    sent: 0,
    answers: {},
    receipts: {},
    latencies: noLatencies(),
    maxMs: 0,
    ownDelayMs: 0,
    seconds: 0,
  };
  const loopDelay = createLoopDelay(systemClock);
  await loopDelay.start();
  const idle: Connection[] = [];
  let opened = 0;
  let underWay = 0;

  const takeConnection = (): Connection | undefined => {
    const free = idle.pop();
    if (free !== undefined || opened >= job.connections) return free;
    opened += 1;
    return createConnection(hostname, Number(port));
  };

  const sendOne = (connection: Connection, dueAtMs: number, afterwards: () => void): void => {
    const source = job.sources[report.sent % job.sources.length];
    if (source === undefined) throw new Error('a load without a source');
    report.sent += 1;
    underWay += 1;
    connection.send(webhook(job, source, report.sent), (answer) => {
      underWay -= 1;
      idle.push(connection);
      const kind = answer === undefined ? 'none' : String(answer.status);
      report.answers[kind] = (report.answers[kind] ?? 0) + 1;
      if (answer !== undefined) {
        addLatency(report.latencies, performance.now() - dueAtMs);
        report.maxMs = Math.max(report.maxMs, answer.tookMs - loopDelay.currentMs());
        if (answer.status < 300)
          (report.receipts[source.id] ??= []).push((JSON.parse(answer.body) as { id: string }).id);
      }
      afterwards();
    });
  };

  const beganAtMs = performance.now();
  const untilMs = beganAtMs + job.seconds * 1000;
  const { perSecond } = job;
  if (perSecond === undefined) {
    const sendNext = (): void => {
      if (performance.now() >= untilMs) return;
      const connection = takeConnection();
      if (connection !== undefined) sendOne(connection, performance.now(), sendNext);
    };
    for (let each = 0; each < job.connections; each += 1) sendNext();
  }
  while (performance.now() < untilMs) {
    await systemClock.sleep(tickMs);
    report.ownDelayMs = Math.max(report.ownDelayMs, loopDelay.currentMs());
    const dueByNow = ((Math.min(performance.now(), untilMs) - beganAtMs) / 1000) * (perSecond ?? 0);
    for (; report.due < Math.floor(dueByNow); report.due += 1) {
      const connection = takeConnection();
      if (connection === undefined) report.held += 1;
      else sendOne(connection, beganAtMs + (report.due * 1000) / (perSecond ?? 0), () => undefined);
    }
  }
  report.seconds = (performance.now() - beganAtMs) / 1000;
  const giveUpAtMs = performance.now() + lastAnswersMs;
  while (underWay > 0 && performance.now() < giveUpAtMs) await systemClock.sleep(tickMs);
  await loopDelay.stop();
  for (const connection of idle) connection.close();
  return report;
}

function webhook(job: LoadJob, { id, secret }: LoadJob['sources'][number], number: number): Buffer {
  const start = `{"id":"${job.name}-${number}","type":"load.sent","pad":"`;
  const body = Buffer.from(`${start}${'x'.repeat(Math.max(0, job.bodyBytes - start.length - 2))}"}`);
  const [[name, value] = []] = Object.entries(signAsHookline(secret, body, Math.floor(Date.now() / 1000)));
  const head =
    `POST /v1/webhooks/${id} HTTP/1.1\r\nhost: load\r\ncontent-type: application/json\r\n` +
    `${name}: ${value}\r\ncontent-length: ${body.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), body]);
}
