import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { freePorts } from '#deploy/local/stack/free-ports.ts';
import { startOrphanReaper } from './orphan-reaper.ts';
import { prometheusPrograms } from './prometheus-programs.ts';
import { waitUntil, within } from './wait-until.ts';

/** Series by their labels, `__name__` among them; NaN if there is no data. */
type Series = { labels: Record<string, string>; value: number };

interface Rule {
  name: string;
  query: string;
  type: 'alerting' | 'recording';
  /** `ok`, or what went wrong. */
  health: string;
  lastError: string;
}

interface Alert {
  name: string;
  /** Without its name. */
  labels: Record<string, string>;
  /** pending: its condition holds, and has not for long enough. */
  state: 'pending' | 'firing';
}

export interface Prometheus {
  /** The present value of an expression. @throws Error if Prometheus does not take it */
  query(expression: string): Promise<Series[]>;
  rules(): Promise<Rule[]>;
  /** Alerts whose condition holds now. */
  alerts(): Promise<Alert[]>;
  stop(): Promise<void>;
}

interface Options {
  /** Addresses by job. */
  targets: Readonly<Record<string, readonly string[]>>;
  /** Seconds between two scrapes, and between two evaluations of the rules. */
  everySeconds: number;
}

const deployed = resolve(import.meta.dirname, '../../deploy/prometheus');

/** A Prometheus of the test’s own, with the rules that are deployed. It forgets all when it is stopped. */
export async function startPrometheus({ targets, everySeconds }: Options): Promise<Prometheus> {
  const { prometheus } = await prometheusPrograms();
  const folder = mkdtempSync(join(tmpdir(), 'hookline-prometheus-'));
  cpSync(join(deployed, 'rules'), join(folder, 'rules'), { recursive: true });
  const scrapes = Object.entries(targets).map(([job, addresses]) => ({
    job_name: job,
    static_configs: [{ targets: addresses }],
  }));
  const global = { scrape_interval: `${everySeconds}s`, evaluation_interval: `${everySeconds}s` };
  // JSON is YAML.
  writeFileSync(
    join(folder, 'prometheus.yml'),
    JSON.stringify({ global, rule_files: ['rules/*.yml'], scrape_configs: scrapes }),
  );
  const [port = 0] = await freePorts(1);
  const child = spawn(
    prometheus,
    [
      `--config.file=${folder}/prometheus.yml`,
      `--storage.tsdb.path=${folder}/data`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=warn',
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const exited = once(child, 'exit');
  const reaper = startOrphanReaper();
  reaper.watch(child.pid ?? 0);

  const ask = async <T>(path: string): Promise<T> => {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/${path}`, { signal: AbortSignal.timeout(10_000) });
    const answer = (await response.json()) as { status: string; data: T; error?: string };
    if (answer.status !== 'success') throw new Error(`Prometheus: ${answer.error}`);
    return answer.data;
  };

  await waitUntil('Prometheus answers', () => ask('status/buildinfo').then(Boolean, () => false));
  return {
    async query(expression) {
      type Vector = { result: { metric: Record<string, string>; value: [number, string] }[] };
      const { result } = await ask<Vector>(`query?query=${encodeURIComponent(expression)}`);
      return result.map(({ metric, value }) => ({ labels: metric, value: Number(value[1]) }));
    },
    async rules() {
      const { groups } = await ask<{ groups: { rules: Rule[] }[] }>('rules');
      return groups.flatMap(({ rules }) => rules);
    },
    async alerts() {
      type Active = { labels: Record<string, string>; state: Alert['state'] };
      const { alerts } = await ask<{ alerts: Active[] }>('alerts');
      return alerts.map(({ labels: { alertname = '', ...labels }, state }) => ({ name: alertname, labels, state }));
    },
    async stop() {
      child.kill('SIGTERM');
      await within('Prometheus ends', 20_000, exited);
      reaper.stop();
      rmSync(folder, { recursive: true });
    },
  };
}
