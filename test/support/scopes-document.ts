import type { RouteOptions } from 'fastify';
import { bodyLimits } from '../../services/api/http/body-limits.ts';
import { scopeOf } from '../../services/api/keys/scopes.ts';
import { testRoutes } from '../unit/api/build-test-app.ts';
import { markdownTable } from './markdown-table.ts';

const table = /^\| route \| scope \| portal \|\n\|---\|---\|---\|\n(?:\|.*\n)*/m;

const bodies = /^\| largest body \| routes \|\n\|---\|---\|\n(?:\|.*\n)*/m;

/** services/api/README.md with its tables of scopes and of body limits generated from the routes. */
export function scopesDocument(page: string): string {
  if (!table.test(page)) throw new Error('services/api/README.md has no table of scopes to replace');
  if (!bodies.test(page)) throw new Error('services/api/README.md has no table of body limits to replace');
  const rows = testRoutes()
    .map((route) => [nameOf(route), scopeText(route), portalText(route)])
    .sort(([a = ''], [b = '']) => pathOf(a).localeCompare(pathOf(b)) || a.localeCompare(b));
  return page
    .replace(table, () => `${markdownTable(['route', 'scope', 'portal'], rows)}\n`)
    .replace(bodies, () => `${markdownTable(['largest body', 'routes'], bodyRows())}\n`);
}

/** The smallest first. Routes that read no body have the usual limit, too. */
function bodyRows(): string[][] {
  const byLimit = Map.groupBy(testRoutes(), ({ bodyLimit = bodyLimits.usual }) => bodyLimit);
  return [...byLimit]
    .sort(([a], [b]) => a - b)
    .map(([limit, routes]) => [
      limit % 1024 ** 2 === 0 ? `${limit / 1024 ** 2} MB` : `${limit / 1024} kB`,
      limit === bodyLimits.usual ? 'all others' : routes.map(nameOf).join(', '),
    ]);
}

const nameOf = ({ method, url }: RouteOptions): string => `\`${String(method)} ${url.replace(/:(\w+)/g, '{$1}')}\``;

const pathOf = (route: string): string => route.slice(route.indexOf('/'), -1);

function portalText({ config = {} }: RouteOptions): string {
  if (config.operation?.isPublic === true) return '';
  if (config.orSessionItself === true) return 'a session itself';
  if (config.capability === undefined) return '';
  return config.capability === 'any' ? 'any' : `\`${config.capability}\``;
}

function scopeText({ method, config = {} }: RouteOptions): string {
  if (config.operation?.isPublic === true) return 'none: needs no key';
  const notes = [
    config.dryRunScope === undefined ? [] : [`with \`dry_run\`: \`${config.dryRunScope}\``],
    config.orSessionItself === true ? ['a session itself: any'] : [],
    config.notBySession === undefined ? [] : ['not by a session'],
  ].flat();
  return [`\`${scopeOf({ method: String(method), config })}\``, ...notes].join('; ');
}
