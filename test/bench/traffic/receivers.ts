import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { ReceiverMessage } from './receiver-process.ts';

export interface Receivers {
  readonly pid: number;
  url(endpoint: string): string;
  /** By endpoint and event: when it was first taken. */
  readonly arrivals: ReadonlyMap<string, ReadonlyMap<string, number>>;
  /** Events at endpoints, each once. */
  arrived(): number;
  /** Requests of any outcome. */
  requests(): number;
  /** Resolves when all that has arrived is in `arrivals`. */
  rest(): Promise<void>;
  stop(): void;
}

const program = join(import.meta.dirname, 'receiver-process.ts');

/** Ends with this process: its channel closes then. */
export async function startReceivers(): Promise<Receivers> {
  const child = fork(program, { execArgv: [] });
  const [first] = (await once(child, 'message')) as [ReceiverMessage];
  if (!('port' in first)) throw new Error('receivers tell their port first');
  const arrivals = new Map<string, Map<string, number>>();
  let [arrived, requests] = [0, 0];
  let told: (() => void) | undefined;
  child.on('message', (message: ReceiverMessage) => {
    if (!('taken' in message)) return;
    requests += message.requests;
    for (const { endpoint, eventId, atMs } of message.taken) {
      const ofEndpoint = arrivals.get(endpoint) ?? new Map<string, number>();
      arrivals.set(endpoint, ofEndpoint);
      if (ofEndpoint.has(eventId)) continue;
      ofEndpoint.set(eventId, atMs);
      arrived += 1;
    }
    if (message.isRest) told?.();
  });
  return {
    pid: child.pid ?? 0,
    url: (endpoint) => `http://127.0.0.1:${first.port}/${endpoint}`,
    arrivals,
    arrived: () => arrived,
    requests: () => requests,
    async rest() {
      const { promise, resolve } = Promise.withResolvers<void>();
      told = resolve;
      child.send('rest');
      await promise;
    },
    stop: () => void child.kill(),
  };
}
