/** What fires when, and whether that is what should. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Prometheus } from '../../support/prometheus.ts';
import type { Incident } from './incidents.ts';

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

/** An incident when it was. */
export interface Span {
  incident: Pick<Incident, 'name' | 'fires' | 'may'>;
  beganAtMs: number;
  overAtMs: number;
  /** None of its alerts' conditions held any more. */
  calmAtMs: number;
}

export interface AlertResult {
  incident: string;
  alert: string;
  /** That it had, in s; null where it need not fire. */
  withinSeconds: number | null;
  /** From the beginning of the incident; null: it has not fired. */
  afterSeconds: number | null;
  /** From when the incident was over; null: it has not ended. */
  endedAfterSeconds: number | null;
}

/** Each incident fires its alerts in time, and nothing fires without one. */
export function judgeAlerts(
  spans: readonly Span[],
  firings: readonly Firing[],
): { results: AlertResult[]; violations: string[] } {
  const isIn = ({ beganAtMs, calmAtMs }: Span, { fromMs }: Firing): boolean =>
    fromMs >= beganAtMs && fromMs <= calmAtMs;
  const results = spans.flatMap((span): AlertResult[] => {
    const { incident, beganAtMs, overAtMs } = span;
    const resultOf = (alert: string, withinSeconds: number | null): AlertResult => {
      const ofAlert = firings.filter((firing) => firing.alert === alert && isIn(span, firing));
      const firstMs = ofAlert.reduce((first, { fromMs }) => Math.min(first, fromMs), Number.POSITIVE_INFINITY);
      const lastMs = ofAlert.reduce((last, { untilMs }) => Math.max(last, untilMs), 0);
      const inSeconds = (ms: number): number | null => (Number.isFinite(ms) ? Math.round(ms / 1_000) : null);
      return {
        ...{ incident: incident.name, alert, withinSeconds },
        afterSeconds: inSeconds(firstMs - beganAtMs),
        endedAfterSeconds: ofAlert.length === 0 ? null : inSeconds(lastMs - overAtMs),
      };
    };
    return [
      ...Object.entries(incident.fires).map(([alert, withinSeconds]) => resultOf(alert, withinSeconds)),
      ...incident.may.map((alert) => resultOf(alert, null)).filter(({ afterSeconds }) => afterSeconds !== null),
    ];
  });
  const isExplained = (firing: Firing): boolean =>
    spans.some((span) => {
      const { fires, may } = span.incident;
      return (firing.alert in fires || may.includes(firing.alert)) && isIn(span, firing);
    });
  return {
    results,
    violations: [
      ...results
        .filter(
          ({ withinSeconds, afterSeconds }) => withinSeconds !== null && (afterSeconds ?? Infinity) > withinSeconds,
        )
        .map(
          ({ incident, alert, withinSeconds, afterSeconds }) =>
            `${incident}: ${alert} ${afterSeconds === null ? 'did not fire' : `fired after ${afterSeconds} s`}, and has ${withinSeconds} s`,
        ),
      ...firings
        .filter((firing) => !isExplained(firing))
        .map(
          ({ alert, labels, fromMs }) =>
            `${alert} fired without a reason at ${new Date(fromMs).toISOString()}: ${labels}`,
        ),
    ],
  };
}
