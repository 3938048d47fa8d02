import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { panelsOf, troubleOfPanels } from '../../images/panels.ts';

const target = (expr: string) => ({ refId: 'A', expr, range: true });
const series = (...values: (number | null)[]) => ({ data: { values: [values.map((_, index) => index), values] } });

/** The answers of Grafana 12, by the query. */
const results: Readonly<Record<string, object>> = {
  shown: { status: 200, frames: [series(null, 1)] },
  zero: { status: 200, frames: [series(0)] },
  'never{cluster=~".*"}': { status: 200, frames: [] },
  nulls: { status: 200, frames: [series(null, null)] },
  broken: { status: 400, error: 'bad_data: parse error' },
};

const dashboard = {
  title: 'Receiving',
  panels: [
    { type: 'row', title: 'Open', panels: [] },
    { type: 'stat', title: 'Shown', targets: [target('shown')] },
    { type: 'stat', title: 'Zero', targets: [target('zero')] },
    { type: 'timeseries', title: 'Never', targets: [target('never{cluster=~"$cluster"}')] },
    { type: 'row', title: 'Closed', panels: [{ type: 'stat', title: 'Nulls', targets: [target('nulls')] }] },
    { type: 'stat', title: 'Broken', targets: [target('broken')] },
  ],
};

describe('panels of Grafana', () => {
  let server: Server;
  let url = '';
  beforeAll(async () => {
    server = createServer((request, response) => {
      void (async () => {
        const path = request.url ?? '';
        if (path.startsWith('/api/search')) return response.end('[{"uid":"receiving"}]');
        if (path === '/api/dashboards/uid/receiving') return response.end(JSON.stringify({ dashboard }));
        const { queries } = JSON.parse(await text(request)) as { queries: { expr: string }[] };
        const result = results[queries[0]?.expr ?? ''];
        return response
          .writeHead(result !== undefined && 'error' in result ? 400 : 200)
          .end(JSON.stringify({ results: { A: result } }));
      })();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => server.close());

  it('are those of open and of closed rows', async () => {
    expect((await panelsOf(url)).map(({ title }) => title)).toEqual(['Shown', 'Zero', 'Never', 'Nulls', 'Broken']);
  });

  it('are named where a query has no series, no value, or an error', async () => {
    expect(await troubleOfPanels(url, await panelsOf(url))).toEqual([
      { panel: 'Receiving: Never', trouble: 'no data: never{cluster=~"$cluster"}' },
      { panel: 'Receiving: Nulls', trouble: 'no data: nulls' },
      { panel: 'Receiving: Broken', trouble: 'bad_data: parse error: broken' },
    ]);
  });

  it('are an error where Grafana does not answer', async () => {
    await expect(troubleOfPanels('http://127.0.0.1:1', await panelsOf(url))).rejects.toThrow('fetch failed');
  });
});
