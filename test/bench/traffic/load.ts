import { fork } from 'node:child_process';
import { join } from 'node:path';
import type { LoadJob, LoadMessage, Published, SentWebhook } from './load-messages.ts';

/** Everything that the loads of a run have sent so far. */
interface SentLog {
  readonly webhooks: readonly SentWebhook[];
  readonly published: readonly Published[];
  accepted(): number;
  /** How late the sender was at worst since it was last asked. */
  lateMs(): number;
}

export interface Load extends SentLog {
  /** Resolves when all is sent and answered. */
  send(job: LoadJob): Promise<void>;
  /** Processor time of all senders that are done. */
  spentSeconds(): number;
  stop(): void;
}

const program = join(import.meta.dirname, 'load-process.ts');

export function createLoad(): Load {
  const webhooks: SentWebhook[] = [];
  const published: Published[] = [];
  const running = new Set<ReturnType<typeof fork>>();
  let [accepted, lateMs, spentSeconds] = [0, 0, 0];
  return {
    webhooks,
    published,
    accepted: () => accepted,
    lateMs() {
      const worst = lateMs;
      lateMs = 0;
      return worst;
    },
    spentSeconds: () => spentSeconds,
    async send(job) {
      const child = fork(program, { execArgv: [] });
      running.add(child);
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      child.on('message', (message: LoadMessage) => {
        webhooks.push(...message.sent);
        published.push(...message.published);
        accepted += message.sent.filter(({ outcome }) => outcome === 'ok').length;
        lateMs = Math.max(lateMs, message.lateMs);
        if (!message.isOver) return;
        spentSeconds += message.spentSeconds;
        resolve();
      });
      child.once('exit', (code) => reject(new Error(`the sender ended with ${code} before it was done`)));
      child.send(job);
      await promise.finally(() => running.delete(child));
    },
    stop: () => running.forEach((child) => child.kill()),
  };
}
