/**
 * The data of Grafana's panels, asked for through its API as its pages ask.
 * https://grafana.com/docs/grafana/latest/developers/http_api/data_source/#query-a-data-source
 */

export interface Panel {
  dashboard: string;
  title: string;
  targets: readonly Target[];
}

/** A query of a panel, as the dashboard has it: `refId`, `expr`, `instant`, `range`. */
type Target = Readonly<Record<string, unknown>> & { refId: string; expr: string };

/** A panel without data, or with a query that has failed. */
export interface PanelTrouble {
  panel: string;
  trouble: string;
}

interface DashboardPanel {
  type: string;
  title: string;
  targets?: readonly Target[];
  /** A closed row has its panels within. */
  panels?: readonly DashboardPanel[];
}

interface QueryResult {
  error?: string;
  frames?: readonly { data: { values: readonly (readonly unknown[])[] } }[];
}

/** As the provisioned source is called. */
const datasource = { type: 'prometheus', uid: 'prometheus' };
/** Grafana's steps for a panel of a usual width. */
const resolution = { intervalMs: 15_000, maxDataPoints: 600 };
const requestTimeoutMs = 30_000;

/** @param url Grafana's, with a trailing slash or without. @throws Error where it does not answer 200 */
export async function panelsOf(url: string): Promise<readonly Panel[]> {
  const found = await askGrafana<readonly { uid: string }[]>(url, '/api/search?type=dash-db&limit=5000');
  const dashboards = await Promise.all(
    found.map(({ uid }) =>
      askGrafana<{ dashboard: { title: string; panels: readonly DashboardPanel[] } }>(
        url,
        `/api/dashboards/uid/${uid}`,
      ),
    ),
  );
  return dashboards.flatMap(({ dashboard }) =>
    dashboard.panels
      .flatMap((panel) => [panel, ...(panel.panels ?? [])])
      .flatMap(({ title, targets = [] }) =>
        targets.length > 0 ? [{ dashboard: dashboard.title, title, targets }] : [],
      ),
  );
}

/** @returns those of the panels that have nothing to show for the last five minutes */
export async function troubleOfPanels(url: string, panels: readonly Panel[]): Promise<readonly PanelTrouble[]> {
  const troubles = await Promise.all(panels.map((panel) => troubleOf(url, panel)));
  return troubles.flat();
}

async function troubleOf(url: string, { dashboard, title, targets }: Panel): Promise<readonly PanelTrouble[]> {
  const queries = targets.map((target) => ({ ...target, ...resolution, datasource, expr: withAllChosen(target.expr) }));
  const body = { queries, from: 'now-5m', to: 'now' };
  const { results } = await askGrafana<{ results: Readonly<Record<string, QueryResult>> }>(url, '/api/ds/query', body);
  const panel = `${dashboard}: ${title}`;
  return targets.flatMap(({ refId, expr }) => {
    const { error, frames = [] } = results[refId] ?? { error: 'Grafana has no result of this query' };
    if (error !== undefined) return [{ panel, trouble: `${error}: ${expr}` }];
    return frames.some(hasValue) ? [] : [{ panel, trouble: `no data: ${expr}` }];
  });
}

/** The first column is the time. */
const hasValue = ({ data }: { data: { values: readonly (readonly unknown[])[] } }): boolean =>
  data.values.slice(1).some((column) => column.some((value) => value !== null));

/** The variables of a dashboard that are set to `All`, whose value is `.*` there; Grafana's own stay, for Grafana. */
const withAllChosen = (expression: string): string => expression.replaceAll(/\$(?!__)\w+/g, '.*');

/** A 4xx of a query has its error in the same form as a 200. */
async function askGrafana<Answer>(url: string, path: string, body?: object): Promise<Answer> {
  const response = await fetch(new URL(path, url), {
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    headers: { 'content-type': 'application/json' },
    signal: AbortSignal.timeout(requestTimeoutMs),
  });
  const text = await response.text();
  if (response.ok || text.startsWith('{"results"')) return JSON.parse(text) as Answer;
  throw new Error(`Grafana answers ${path} with ${response.status}: ${text.slice(0, 300)}`);
}
