/** Reads answers in a thread of its own, so that the thread that makes them does nothing else: large-answers.night.test.ts. */
import { request } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';

export interface ReadInThread {
  url: string;
  headers: Readonly<Record<string, string>>;
  /** How many are asked for at once. */
  times: number;
}

const { url, headers, times } = workerData as ReadInThread;

/** @returns its bytes; rejects for one that is cut off, or is no 200 */
const read = (): Promise<number> =>
  new Promise((resolve, reject) => {
    request(url, { headers, agent: false }, (response) => {
      let bytes = 0;
      response.on('data', (chunk: Buffer) => (bytes += chunk.length));
      response.on('end', () => (response.statusCode === 200 ? resolve(bytes) : reject(new Error(url))));
      response.on('error', reject);
    })
      .on('error', reject)
      .end();
  });

parentPort?.postMessage(await Promise.all(Array.from({ length: times }, read)));
