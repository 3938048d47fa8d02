/**
 * Publishes events of one tenant over several connections, each of which sends its next event after the answer. A child process: its parent
 * sends the job, and gets every answer at the end.
 */
import { randomBytes } from 'node:crypto';
import { createConnection } from '../../support/load/connection.ts';
import { addLatency, type Latencies, noLatencies } from '../../support/load/latencies.ts';

export interface PublishJob {
  /** A part of each key, unique to the job. */
  name: string;
  apiUrl: string;
  adminKey: string;
  tenant: string;
  seconds: number;
  connections: number;
  payloadBytes: number;
}

export interface PublishReport {
  seconds: number;
  /** Ids of the accepted events. */
  ids: string[];
  /** How many answers of each status; `none` where the connection ended. */
  answers: Record<string, number>;
  latencies: Latencies;
}

process.once('message', (job: PublishJob) => {
  void publish(job).then((report) => process.send?.(report));
});
process.on('disconnect', () => process.exit(0));

async function publish(job: PublishJob): Promise<PublishReport> {
  const { hostname, port, host } = new URL(job.apiUrl);
  const ids: string[] = [];
  const answers: Record<string, number> = {};
  const latencies = noLatencies();
  const padding = 'x'.repeat(Math.max(0, job.payloadBytes - '{"key":"","padding":""}'.length - job.name.length - 8));
  const startMs = performance.now();
  const endMs = startMs + job.seconds * 1_000;
  let number = 0;

  const requestOf = (key: string): Buffer => {
    const body = `{"type":"order.paid","payload":{"key":"${key}","padding":"${padding}"}}`;
    return Buffer.from(
      `POST /v1/events HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${job.adminKey}\r\nhookline-tenant: ${job.tenant}\r\n` +
        `content-type: application/json\r\nidempotency-key: ${key}\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
  };
  const sendOneByOne = (): Promise<void> =>
    new Promise((resolve) => {
      const connection = createConnection(hostname, Number(port));
      const next = (): void => {
        if (performance.now() >= endMs) {
          connection.close();
          return resolve();
        }
        // Keys are random: what is sorted by them is not in the order in which it came.
        const key = `${job.name}-${(number += 1)}-${randomBytes(4).toString('hex')}`;
        connection.send(requestOf(key), (answer) => {
          const status = answer === undefined ? 'none' : String(answer.status);
          answers[status] = (answers[status] ?? 0) + 1;
          if (answer !== undefined) addLatency(latencies, answer.tookMs);
          if (answer?.status === 202) ids.push((JSON.parse(answer.body) as { id: string }).id);
          next();
        });
      };
      next();
    });

  await Promise.all(Array.from({ length: job.connections }, sendOneByOne));
  return { seconds: (performance.now() - startMs) / 1_000, ids, answers, latencies };
}
