import { html, type Html, type HtmlValue } from '#lib/html';
import { withQuery } from '../../api-calls/paths.ts';
import { count } from '../../parts/count.ts';
import { percent } from '../../parts/figure.ts';
import { milliseconds } from '../../parts/milliseconds.ts';
import { endpointName } from '../../parts/named-link.ts';
import { statusBadge } from '../../parts/status-badge.ts';
import { table } from '../../parts/table.ts';
import { namesIn, type Overview, worstEndpoints } from '../../routes/overview/ask-overview.ts';
import { totalsByKey } from '../../routes/overview/stats.ts';
import { card, unlessAway } from './card.ts';

interface Ranking {
  t: string;
  overview: Overview;
}

/** Endpoints by the share of their attempts that failed. */
export function endpointsWorstFirst({ t, overview }: Ranking): Html {
  const { byEndpoint, health } = overview;
  const rows = worstEndpoints(byEndpoint);
  return card(
    'Endpoints, worst first',
    unlessAway(byEndpoint, 'Counts by endpoint', () =>
      rows.length === 0
        ? html`<p class="muted">Nothing was sent in this time.</p>`
        : html`${table({
            caption: 'Endpoints, worst first',
            rows,
            columns: [
              { header: 'Endpoint', cell: ([id]) => endpointName(id, { t, names: namesIn(overview) }) },
              {
                header: 'Success',
                isNumber: true,
                cell: ([, { delivered, failed }]) => percent(delivered, delivered + failed),
              },
              { header: 'Failed', isNumber: true, cell: ([, { failed }]) => count(failed) },
              {
                header: 'p95',
                isNumber: true,
                cell: ([id]) => milliseconds(health.get(id)?.latency.p95_ms),
              },
              { header: 'Waiting', isNumber: true, cell: ([id]) => waitingOf(health.get(id)) },
              { header: 'Breaker', cell: ([id]) => breakerOf(health.get(id)) },
            ],
          })}<p class="muted">Success: attempts that were answered with a 2xx, of all. p95: 95 % of the latest attempts of a day took no longer. Waiting: deliveries to send. Breaker: open while only probes are sent to an endpoint. <a href="${t}/endpoints">All endpoints</a></p>`,
    ),
  );
}

type KnownHealth = ReturnType<Overview['health']['get']>;

const waitingOf = (health: KnownHealth): HtmlValue =>
  health === undefined ? '–' : count(health.waiting.retrying + health.waiting.parked, health.waiting.is_capped);

const breakerOf = (health: KnownHealth): HtmlValue =>
  health?.breaker == null ? html`<span class="muted">unknown</span>` : statusBadge(health.breaker.state);

const shownTypes = 8;
/** The name of all types beyond the ones that are counted by name. */
const otherTypes = 'other';

/** Types by how many events there were. */
export function typesMostFirst({ t, overview: { byType } }: Ranking): Html {
  return card(
    'Types, most first',
    unlessAway(byType, 'Counts by type', (stats) => {
      const rows = [...totalsByKey(stats)]
        .filter(([, { received }]) => received > 0)
        .sort(([, a], [, b]) => b.received - a.received)
        .slice(0, shownTypes);
      return rows.length === 0
        ? html`<p class="muted">No event was received in this time.</p>`
        : table({
            caption: 'Types, most first',
            rows,
            columns: [
              { header: 'Type', cell: ([type]) => typeLink(type, t) },
              { header: 'Received', isNumber: true, cell: ([, { received }]) => count(received) },
              {
                header: 'Delivered',
                isNumber: true,
                cell: ([, { delivered, dead_lettered: dead }]) => percent(delivered, delivered + dead),
              },
            ],
          });
    }),
  );
}

const typeLink = (type: string, t: string): Html =>
  type === otherTypes ? html`all others` : html`<a href="${withQuery(`${t}/events`, { type })}"><bdi>${type}</bdi></a>`;
