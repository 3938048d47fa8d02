/** Watches which alerts fire when. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Prometheus } from '../../support/prometheus.ts';

/** An alert from when it began to fire until it ended. */
export interface Firing {
  alert: string;
  /** `job=hookline-api`, … */
  labels: string;
  fromMs: number;
  /** Infinity: it fires still. */
  untilMs: number;
}

export interface AlertLog {
  readonly firings: readonly Firing[];
  /** Whether the condition of one of these holds, at this moment. */
  isActive(alerts: readonly string[]): boolean;
  /** @throws what Prometheus could not be asked for */
  stop(): Promise<void>;
}

const everyMs = 1_000;

export function watchAlerts(prometheus: Prometheus): AlertLog {
  const firings: Firing[] = [];
  let active = new Set<string>();
  const stopped = new AbortController();

  const look = async (): Promise<void> => {
    const alerts = await prometheus.alerts();
    const nowMs = Date.now();
    active = new Set(alerts.map(({ name }) => name));
    const firing = new Map(
      alerts
        .filter(({ state }) => state === 'firing')
        .map(({ name, labels }) => {
          const told = Object.entries(labels).filter(([label]) => label !== 'severity');
          const named = { alert: name, labels: told.map((pair) => pair.join('=')).join(', ') };
          return [JSON.stringify(named), named] as const;
        }),
    );
    for (const known of firings.filter(({ untilMs }) => untilMs === Number.POSITIVE_INFINITY)) {
      const key = JSON.stringify({ alert: known.alert, labels: known.labels });
      if (!firing.delete(key)) known.untilMs = nowMs;
    }
    for (const named of firing.values()) firings.push({ ...named, fromMs: nowMs, untilMs: Number.POSITIVE_INFINITY });
  };
  const watch = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      await look();
      await delay(everyMs, undefined, { signal: stopped.signal }).catch(() => undefined);
    }
  };
  const watching = watch();
  watching.catch(() => undefined);
  return {
    firings,
    isActive: (alerts) => alerts.some((name) => active.has(name)),
    async stop() {
      stopped.abort();
      await watching;
    },
  };
}
