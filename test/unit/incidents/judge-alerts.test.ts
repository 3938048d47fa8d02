import { judgeAlerts, type Span } from '../../faults/incidents/judge-alerts.ts';
import type { Firing } from '../../faults/incidents/watch-alerts.ts';

const span: Span = {
  incident: { name: 'redis-stopped', fires: { RedisAway: 120 }, may: ['Slow'] },
  beganAtMs: 10_000,
  overAtMs: 250_000,
  calmAtMs: 300_000,
};
const fired = (alert: string, fromMs: number, untilMs = Number.POSITIVE_INFINITY): Firing => ({
  alert,
  labels: 'job=a',
  fromMs,
  untilMs,
});

describe('the alerts of an incident', () => {
  it('are right where each has fired in time', () => {
    const { results, violations } = judgeAlerts([span], [fired('RedisAway', 100_000, 260_000)]);
    expect(violations).toEqual([]);
    expect(results).toEqual([
      { incident: 'redis-stopped', alert: 'RedisAway', withinSeconds: 120, afterSeconds: 90, endedAfterSeconds: 10 },
    ]);
  });

  it('are wrong where one fires too late, or never', () => {
    expect(judgeAlerts([span], [fired('RedisAway', 131_000)]).violations).toEqual([
      'redis-stopped: RedisAway fired after 121 s, and has 120 s',
    ]);
    expect(judgeAlerts([span], []).violations).toEqual(['redis-stopped: RedisAway did not fire, and has 120 s']);
  });

  it('may have another beside them that shows the same, but not before or after', () => {
    const right = fired('RedisAway', 100_000);
    expect(judgeAlerts([span], [right, fired('Slow', 200_000)])).toMatchObject({
      violations: [],
      results: [{ alert: 'RedisAway' }, { alert: 'Slow', withinSeconds: null, afterSeconds: 190 }],
    });
    for (const atMs of [9_000, 301_000])
      expect(judgeAlerts([span], [right, fired('Slow', atMs)]).violations).toEqual([
        `Slow fired without a reason at ${new Date(atMs).toISOString()}: job=a`,
      ]);
  });

  it('have none beside them that shows anything else', () => {
    const { violations } = judgeAlerts([span], [fired('RedisAway', 100_000), fired('KafkaAway', 110_000)]);
    expect(violations).toEqual([`KafkaAway fired without a reason at ${new Date(110_000).toISOString()}: job=a`]);
  });

  it('are looked for in what is going on at the same time, too', () => {
    const other: Span = { ...span, incident: { name: 'endpoint-down', fires: { BreakerOpen: 200 }, may: [] } };
    const firings = [fired('RedisAway', 100_000), fired('BreakerOpen', 110_000)];
    expect(judgeAlerts([span, other], firings).violations).toEqual([]);
  });
});
