/** Whether what has fired is what should. */
import type { Incident } from './incidents.ts';
import type { Firing } from './watch-alerts.ts';

/** An incident when it was. */
export interface Span {
  incident: Pick<Incident, 'name' | 'fires' | 'may'>;
  beganAtMs: number;
  overAtMs: number;
  /** The time from which no condition of its alerts held. */
  calmAtMs: number;
}

export interface AlertResult {
  incident: string;
  alert: string;
  /** When it had to fire, in s; null if it need not fire. */
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
        incident: incident.name,
        alert,
        withinSeconds,
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
