import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { healthyName } from '../../faults/system/endpoints.ts';
import { judge } from '../../faults/system/judge.ts';
import { keepSeen, readSeen, type Seen } from '../../faults/system/seen.ts';
import { at, healthyHistory } from '../checker/healthy-history.ts';

function healthyRun(): Seen {
  const history = healthyHistory();
  const { endpointId, atMs } = at(history.arrivals, 0);
  return {
    history,
    dispatchers: { joins: new Map(), sends: new Map(), unasked: new Map(), steps: new Map() },
    endpointIds: new Map([[healthyName, endpointId]]),
    intents: [],
    deadLettersInTable: history.topics['dead-letters'].length,
    inflicted: [{ kind: 'broker-killed', atMs: atMs - 1_000, overAtMs: atMs }],
    leftOut: {},
    restarts: 0,
    absences: [],
    bystanders: [],
    late: { run: { p99: 0, max: 0 }, links: { p99: 0, max: 0 } },
    seconds: 1,
    drainSeconds: 0,
  };
}

describe('the verdict on a run', () => {
  let dir: string;
  beforeEach(() => void (dir = mkdtempSync(join(tmpdir(), 'hookline-seen-'))));
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  it('is the same of what was kept', () => {
    const seen = healthyRun();
    seen.history = { ...seen.history, faults: [{ what: 'a fault', atMs: 0, settledAtMs: Number.POSITIVE_INFINITY }] };
    keepSeen(dir, seen);
    expect(readSeen(dir)).toEqual(seen);
    expect(judge(readSeen(dir))).toEqual(judge(seen));
  });

  it('finds a consumer that was without its group though Kafka was there', () => {
    const seen = healthyRun();
    const absence = { process: 'dedup', group: 'g', fromMs: 0, untilMs: 70_000 };
    const violationsWith = (kind: string): string[] =>
      judge({ ...seen, absences: [absence], inflicted: [{ kind, atMs: 0, overAtMs: 60_000 }] }).violations.filter(
        (violation) => violation.includes('was without g'),
      );
    expect([violationsWith('broker-killed'), violationsWith('redis-killed').length]).toEqual([[], 1]);
  });

  it('counts what is missing then, too', () => {
    const seen = healthyRun();
    const lost = { ...seen, history: { ...seen.history, topics: { ...seen.history.topics, events: [] } } };
    keepSeen(dir, lost);
    expect(judge(readSeen(dir)).lost).toBeGreaterThan(judge(seen).lost);
    expect(judge(readSeen(dir)).violations.length).toBeGreaterThan(judge(seen).violations.length);
  });
});
