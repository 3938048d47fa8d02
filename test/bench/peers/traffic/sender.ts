import { setTimeout as delay } from 'node:timers/promises';
import { type Answer, type Connection, createConnection } from '../../../support/load/connection.ts';
import type { Pace, Target } from './job.ts';

interface Options {
  target: Target;
  connections: number;
  sendsAgain: boolean;
  request(number: number): Buffer;
  onDue(number: number, dueAtMs: number): void;
  onAcknowledged(number: number): void;
  onFailure(what: string, text: string): void;
  onSentAgain(): void;
}

export interface Sender {
  /** Resolves when every event was acknowledged or given up. @returns their number, and the greatest delay of a send */
  publish(pace: Pace): Promise<{ published: number; lateMs: number }>;
}

const againAfterMs = 100;
/** A system that keeps answering 409 says that it has the event, but not its outcome. */
const mostConflicts = 50;

/** Publishes events over keep-alive connections, each with one request under way. */
export function createSender(options: Options): Sender {
  const { target, connections, sendsAgain, request, onDue, onAcknowledged, onFailure, onSentAgain } = options;
  const free: Connection[] = Array.from({ length: connections }, () => createConnection(target.host, target.port));
  const all = [...free];
  /** Due, and without a connection: the oldest first. */
  const waiting: number[] = [];
  let waitingFrom = 0;

  function send(number: number, connection: Connection, whenDone: () => void): void {
    const bytes = request(number);
    let conflicts = 0;
    const attempt = (): void => connection.send(bytes, (answer) => void settle(answer));
    const settle = async (answer: Answer | undefined): Promise<void> => {
      if (answer !== undefined && answer.status >= 200 && answer.status < 300) {
        onAcknowledged(number);
        return whenDone();
      }
      onFailure(answer === undefined ? 'no answer' : String(answer.status), answer?.body ?? '');
      if (answer?.status === 409) conflicts += 1;
      if (!sendsAgain || conflicts > mostConflicts) return whenDone();
      onSentAgain();
      await delay(againAfterMs);
      attempt();
    };
    attempt();
  }

  async function publishClosed(seconds: number): Promise<number> {
    const endsAtMs = performance.now() + seconds * 1_000;
    let next = 0;
    await Promise.all(
      all.map(
        (connection) =>
          new Promise<void>((resolve) => {
            const go = (): void => {
              const nowMs = performance.now();
              if (nowMs >= endsAtMs) return resolve();
              const number = next;
              next += 1;
              onDue(number, nowMs);
              send(number, connection, go);
            };
            go();
          }),
      ),
    );
    return next;
  }

  function publishOpen(perSecond: number, count: number): Promise<number> {
    const startMs = performance.now();
    let [begun, done, worstMs] = [0, 0, 0];
    return new Promise((resolve) => {
      const give = (connection: Connection): void => {
        done += 1;
        if (done === count) return resolve(worstMs);
        const number = waiting[waitingFrom];
        if (number === undefined) return void free.push(connection);
        waitingFrom += 1;
        send(number, connection, () => give(connection));
      };
      const tick = (): void => {
        const nowMs = performance.now();
        for (; begun < count; begun += 1) {
          const dueAtMs = startMs + (begun * 1_000) / perSecond;
          if (dueAtMs > nowMs) break;
          const number = begun;
          onDue(number, dueAtMs);
          const connection = free.pop();
          if (connection === undefined) {
            waiting.push(number);
            continue;
          }
          worstMs = Math.max(worstMs, nowMs - dueAtMs);
          send(number, connection, () => give(connection));
        }
        if (begun < count) setTimeout(tick, Math.max(1, startMs + (begun * 1_000) / perSecond - performance.now()));
      };
      tick();
    });
  }

  return {
    async publish(pace) {
      try {
        if (pace.kind === 'closed') return { published: await publishClosed(pace.seconds), lateMs: 0 };
        return { published: pace.count, lateMs: await publishOpen(pace.perSecond, pace.count) };
      } finally {
        for (const connection of all) connection.close();
      }
    },
  };
}
