import type { System } from '#lib/api-contract';
import { html, type Html, linkTo } from '#lib/html';
import { card } from '../overview/index.ts';
import { page, type PageContent } from '../page-result.ts';
import { operatorPage, type Settings } from '../page.ts';
import { table } from '../ui/lists.ts';
import { statusBadge } from '../ui/status.ts';
import { count } from '../ui/text.ts';
import { duration, time } from '../ui/times.ts';

type Process = System['processes'][number];
type Stage = System['stages'][number];

/** A Hookline works only with at least one of each. */
const services = ['ingress', 'dedup', 'dispatcher', 'projector', 'api'];
/** As the alert HooklineConsumerBehind. */
const behindSeconds = 60;

/** The processes that run, how far each stage is behind, and what does not answer. */
const systemPage = (system: System, settings: Settings, nowMs: number): PageContent => ({
  title: 'System',
  subtitle: html`reported by the processes every five seconds; as of ${time(new Date(nowMs).toISOString())}`,
  body: html`${grafana(settings)}
${card('Processes', html`${missing(system.processes, settings)}${versions(system.processes)}${processTable(system.processes, settings, nowMs)}`)}
${card(
  'Consumer lag by stage',
  system.stages.length === 0
    ? html`<p class="note note-warn">No consuming process reports: the lag is unknown.</p>`
    : stageTable(system.stages, settings),
)}
${card('Dependencies', dependencyTable(system, settings))}`,
});

const dashboards = [
  ['overview', 'Overview'],
  ['receiving', 'Receiving'],
  ['delivering', 'Delivering'],
  ['dead-letters', 'Dead letters'],
  ['polling', 'Polling'],
  ['stores', 'Stores'],
] as const;

function grafana({ grafanaUrl, runbookUrl }: Settings): Html {
  if (grafanaUrl === '' && runbookUrl === '')
    return html`<p class="muted">Set <code>HOOKLINE_GRAFANA_URL</code> and <code>HOOKLINE_RUNBOOK_URL</code> for links to dashboards and to what to do.</p>`;
  const dashboard = (id: string, label: string) => linkTo(`${grafanaUrl}/d/hookline-${id}`, `Grafana: ${label}`);
  return html`<ul class="links">${grafanaUrl !== '' && dashboards.map(([id, label]) => html`<li>${dashboard(id, label)}</li>`)}${runbookUrl !== '' && html`<li>${linkTo(runbookUrl, 'Runbook')}</li>`}</ul>`;
}

/** The link to the runbook, where it is known. */
const whatToDo = (alert: string, { runbookUrl }: Settings): Html | false =>
  runbookUrl !== '' && html` ${linkTo(`${runbookUrl}#${alert.toLowerCase()}`, 'what to do')}`;

/** A badge, with what to do about it. */
const withWhatToDo = (badge: Html, alert: string, settings: Settings): Html =>
  html`<span>${badge}${whatToDo(alert, settings)}</span>`;

function missing(processes: readonly Process[], settings: Settings): Html | null {
  const silent = services.filter(
    (name) => !processes.some(({ service, status }) => service === name && status !== 'silent'),
  );
  return silent.length === 0
    ? null
    : html`<p class="note note-bad">No process of ${silent.join(', ')} reports.${whatToDo('HooklineServiceDown', settings)}</p>`;
}

function versions(processes: readonly Process[]): Html | null {
  const all = [...new Set(processes.map(({ version }) => version))];
  return all.length < 2 ? null : html`<p class="note">More than one version runs: ${all.join(', ')}.</p>`;
}

const processTable = (processes: readonly Process[], settings: Settings, nowMs: number): Html =>
  table({
    caption: 'Processes',
    rows: processes,
    columns: [
      {
        header: 'Service',
        cell: ({ service, instance }) => html`<span title="instance ${instance}">${service}</span>`,
      },
      { header: 'Status', cell: (process) => processStatus(process, settings) },
      { header: 'Version', cell: ({ version }) => version },
      { header: 'Up for', cell: ({ started_at: at }) => html`<span title="since ${at}">${ageOf(at, nowMs)}</span>` },
      { header: 'Last report', cell: ({ beat_at: at }) => `${ageOf(at, nowMs)} ago` },
      { header: 'Host and process', cell: ({ host, pid }) => html`<span><bdi>${host}</bdi> ${pid}</span>` },
      { header: 'Without', cell: ({ dependencies }) => without(dependencies) },
    ],
  });

function processStatus({ status }: Process, settings: Settings): Html {
  switch (status) {
    case 'ready':
      return statusBadge('ready', 'ready', 'good');
    case 'not_ready':
      return withWhatToDo(statusBadge('not_ready', 'not ready', 'bad'), 'HooklineProcessNotReady', settings);
    case 'silent':
      return withWhatToDo(statusBadge('silent', 'silent', 'warn'), 'HooklineProcessDown', settings);
  }
}

const ageOf = (at: string, nowMs: number): string => duration((nowMs - Date.parse(at)) / 1_000);

/** Dependencies that did not answer it. */
function without(dependencies: Process['dependencies']): Html | string {
  if (dependencies === null) return unknown;
  const away = Object.keys(dependencies).filter((name) => dependencies[name] === false);
  return away.length === 0 ? '–' : statusBadge('away', away.join(', '), 'bad');
}

const unknown = html`<span class="muted">unknown</span>`;

/** Null: no process that reports has any of the partitions. */
const countOrUnknown = (n: number | null): Html | string => (n === null ? unknown : count(n));

const stageTable = (stages: readonly Stage[], settings: Settings): Html =>
  table({
    caption: 'Consumer lag by stage',
    rows: stages,
    columns: [
      { header: 'Group', cell: ({ group }) => group },
      { header: 'Topic', cell: ({ topic }) => topic },
      { header: 'Oldest unfinished record', cell: (stage) => oldest(stage, settings) },
      { header: 'Records', isNumber: true, cell: ({ records }) => countOrUnknown(records) },
      { header: 'Partitions', isNumber: true, cell: ({ partitions }) => countOrUnknown(partitions) },
    ],
  });

function oldest({ seconds, service }: Stage, settings: Settings): Html | string {
  if (seconds === null) return html`${statusBadge('unknown', `no ${service} reports`, 'warn')}`;
  if (seconds === 0) return 'none';
  if (seconds < behindSeconds) return `${seconds.toFixed(1)} s`;
  return withWhatToDo(statusBadge('behind', duration(seconds), 'warn'), 'HooklineConsumerBehind', settings);
}

const alerts: Readonly<Record<string, string>> = {
  kafka: 'HooklineKafkaAway',
  postgres: 'HooklinePostgresAway',
  redis: 'HooklineRedisAway',
};

function dependencyTable({ dependencies }: System, settings: Settings): Html {
  if (dependencies.length === 0)
    return html`<p class="note note-warn">No process reports: the state of the dependencies is unknown.</p>`;
  return table({
    caption: 'Dependencies',
    rows: dependencies,
    columns: [
      { header: 'Name', cell: ({ name }) => name },
      {
        header: 'Status',
        cell: ({ name, up }) =>
          up
            ? statusBadge('up', 'answers', 'good')
            : withWhatToDo(statusBadge('away', 'away', 'bad'), alerts[name] ?? '', settings),
      },
      { header: 'Does not answer', cell: ({ down_for: services }) => services.join(', ') || '–' },
    ],
  });
}

/** `/system`: processes, lag, dependencies. */
const system = operatorPage({
  path: '/system',
  title: 'System',
  section: 'system',
  get: {
    async answer({ api, settings, clock }) {
      return page(systemPage(await api.call('GET /v1/system'), settings, clock.nowMs()));
    },
  },
});

export const systemPages = [system];
