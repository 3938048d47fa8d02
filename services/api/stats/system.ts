/** Reports of the running services on themselves: libs/service-host. */
import type { System } from '#lib/api-contract';
import type { Query } from '#lib/postgres';
import type { ReportedLag } from '#lib/service-host';

interface ProcessRow extends Omit<System['processes'][number], 'status' | 'dependencies'> {
  ready: boolean;
  dependencies: Record<string, boolean>;
  lag: ReportedLag[];
  is_silent: boolean;
}

/** Rows of more are not read: a Hookline of so many has another way to be watched. */
const maxProcesses = 1_000;
/** Six times the interval between two reports. */
const silentAfter = '30 seconds';

const columns = 'service, instance, host, pid, version, started_at, beat_at, ready, dependencies, lag';

export async function readSystem(postgres: Query): Promise<System> {
  const rows = await postgres.query<ProcessRow>(
    `SELECT ${columns}, beat_at < clock_timestamp() - interval '${silentAfter}' AS is_silent
       FROM processes
      ORDER BY service, started_at, instance
      LIMIT ${maxProcesses}`,
  );
  const reporting = rows.filter(({ is_silent: isSilent }) => !isSilent);
  return {
    processes: rows.map(({ lag: _lag, is_silent: isSilent, ready, dependencies, ...row }) => ({
      ...row,
      status: isSilent ? 'silent' : ready ? 'ready' : 'not_ready',
      dependencies: isSilent ? null : dependencies,
    })),
    stages: stagesOf(rows),
    dependencies: dependenciesOf(reporting),
  };
}

/** The lag of each consumer group and topic; null where no process that reports has any of its partitions. */
function stagesOf(rows: readonly ProcessRow[]): System['stages'] {
  const named = rows.flatMap(({ lag, is_silent: isSilent, service }) =>
    lag.map((each) => ({ ...each, service, isSilent })),
  );
  return [...Map.groupBy(named, ({ group, topic }) => `${group} ${topic}`).values()]
    .flatMap((each) => {
      const [first] = each;
      if (first === undefined) return [];
      const { service, group, topic } = first;
      const known = each.filter(({ isSilent }) => !isSilent);
      const sum = (of: (lag: ReportedLag) => number): number | null =>
        known.length === 0 ? null : known.reduce((all, each) => all + of(each), 0);
      return {
        service,
        group,
        topic,
        partitions: sum(({ partitions }) => partitions),
        records: sum(({ records }) => records),
        seconds: known.length === 0 ? null : Math.max(...known.map(({ seconds }) => seconds)),
      };
    })
    .sort((a, b) => (`${a.group} ${a.topic}` < `${b.group} ${b.topic}` ? -1 : 1));
}

function dependenciesOf(rows: readonly ProcessRow[]): System['dependencies'] {
  const named = rows.flatMap(({ service, dependencies }) =>
    Object.entries(dependencies).map(([name, up]) => ({ name, up, service })),
  );
  return [...Map.groupBy(named, ({ name }) => name)]
    .map(([name, reports]) => ({
      name,
      up: reports.every(({ up }) => up),
      down_for: [...new Set(reports.flatMap(({ up, service }) => (up ? [] : [service])))].sort(),
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}
