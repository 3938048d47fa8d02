import { appendFileSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeRestarts, recordRestart, takeRestarts } from '#deploy/local/supervise/restarts.ts';
import type { Restart } from '#deploy/local/supervise/supervisor.ts';

const restart = (more: Partial<Restart> = {}): Restart => ({
  name: 'dispatcher',
  endedAtMs: 0,
  how: { signal: 'SIGKILL' },
  lastLogLine: '{"event":"delivery.attempted"}',
  startedAtMs: 1_000,
  ...more,
});

describe('what was started again', () => {
  let dir: string;
  let file: string;

  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'hookline-restarts-'));
    file = join(dir, 'restarts.jsonl');
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  it('is shown at the next look, and not at the one after that', () => {
    expect(takeRestarts(file)).toEqual([]);
    recordRestart(file, restart());
    recordRestart(file, restart({ name: 'redis', how: { code: 1 } }));
    expect(takeRestarts(file)).toEqual([restart(), restart({ name: 'redis', how: { code: 1 } })]);
    expect(takeRestarts(file)).toEqual([]);
    recordRestart(file, restart());
    expect(takeRestarts(file)).toEqual([restart()]);
  });

  it('a line that was cut off hides no other', () => {
    recordRestart(file, restart());
    appendFileSync(file, '{"name":"disp\n');
    recordRestart(file, restart());
    expect(takeRestarts(file)).toHaveLength(2);
  });

  it('does not grow for ever where nobody looks', () => {
    for (let turn = 0; turn < 30; turn++) recordRestart(file, restart({ lastLogLine: 'x'.repeat(100_000) }));
    expect(statSync(file).size).toBeLessThan(1_200_000);
  });

  it('is a line for each process, with how it ended last, how often, and what it logged last', () => {
    const restarts = [
      restart(),
      restart({ endedAtMs: 60_000 }),
      restart({ name: 'kafka', endedAtMs: 235_000, how: { code: 137 }, lastLogLine: '' }),
      restart({ name: 'api', how: undefined, lastLogLine: '' }),
    ];
    expect(describeRestarts(restarts, 240_000)).toEqual([
      'dispatcher ended 3 min ago (signal SIGKILL) and was started again, 2 times',
      '  dispatcher | {"event":"delivery.attempted"}',
      'kafka ended 5 s ago (exit code 137) and was started again',
      'api ended 4 min ago (how is not known) and was started again',
    ]);
  });
});
