import { goesWithHost, headerKinds } from '#lib/contract';
import {
  type LimitDefinition,
  limitTable,
  type OtherLimit,
  type OtherLimits,
  type ShareDefinition,
  shareTable,
  tenantLimitRaisedBy,
} from '#lib/tenancy';
import { apiLimits } from '../../services/api/limits/api-limits.ts';
import { consoleLimits } from '../../services/console/limits.ts';
import { ingressLimits } from '../../services/ingress/limits.ts';
import { markdownTable } from './markdown-table.ts';

const head = ['limit', 'whose', 'how many', 'counts', 'at the limit', 'raised by'];

const table =
  /^\| limit \| whose \| how many \| counts \| at the limit \| raised by \|\n\|---\|---\|---\|---\|---\|---\|\n(?:\|.*\n)*/m;

const hostTable =
  /^\| setting \| reaches the host \| must be sent again at a change of the origin \|\n\|---\|---\|---\|\n(?:\|.*\n)*/m;

/** The table of settings that go with a host, as the code has them. */
function hostBoundTable(): string {
  const rows = Object.entries(goesWithHost).map(([name, { goes, again }]) => [`\`${name}\``, goes, again]);
  return markdownTable(
    ['setting', 'reaches the host', 'must be sent again at a change of the origin'],
    [...rows, ['`secret`', 'nothing: it signs, and is never sent', 'nothing']],
  );
}

const headersTable = /^\| header \| tenant \| customer \|\n\|---\|---\|---\|\n(?:\|.*\n)*/m;
const shownWords = { value: 'its value', masked: '`***`', hidden: '–' } as const;

/** The table of headers and their viewers, as the code has it. */
function headersShownTable(): string {
  const rows = Object.values(headerKinds).map(({ is, tenant, customer }) => [
    ...[is, shownWords[tenant], shownWords[customer]],
  ]);
  return markdownTable(['header', 'tenant', 'customer'], rows);
}

/** The limits that are no tenant's number and no share, by the service that has them. */
export const otherLimits: Readonly<Record<string, OtherLimits>> = {
  api: apiLimits,
  ingress: ingressLimits,
  console: consoleLimits,
};

/** docs/tenancy.md with its tables generated; all other text is written by hand. */
export function tenancyDocument(page: string): string {
  if (!table.test(page)) throw new Error('docs/tenancy.md has no table of limits to replace');
  if (!hostTable.test(page)) throw new Error('docs/tenancy.md has no table of what goes with a host to replace');
  if (!headersTable.test(page)) throw new Error('docs/tenancy.md has no table of who may see which header to replace');
  return page
    .replace(table, () => `${markdownTable(head, limitRows())}\n`)
    .replace(headersTable, () => `${headersShownTable()}\n`)
    .replace(hostTable, () => `${hostBoundTable()}\n`);
}

/** Every rate and limit: those of tenants, their shares, then those of each service. */
export const limitRows = (): string[][] => [
  ...Object.entries<LimitDefinition>(limitTable).map(([name, { default: usual, max, counts, atLimit }]) => [
    `\`${name}\``,
    'each tenant',
    `${usual}, up to ${max}`,
    ...[counts, atLimit, tenantLimitRaisedBy],
  ]),
  ...Object.entries<ShareDefinition>(shareTable).map(([name, { of, counts, atLimit }]) => [
    ...[`\`${name}\``, 'each tenant', `a [share](#shares) of ${of}`, counts, atLimit],
    'the operator, by the size of the whole',
  ]),
  ...Object.values(otherLimits).flatMap((limits) =>
    Object.entries<OtherLimit>(limits).map(([name, { whose, usual, counts, atLimit, raisedBy }]) => [
      ...[`\`${name}\``, whose, usual === null ? 'none' : String(usual)],
      ...[counts, atLimit, raisedBy],
    ]),
  ),
];
