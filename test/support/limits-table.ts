import {
  type LimitDefinition,
  limitTable,
  type OtherLimit,
  type OtherLimits,
  type ShareDefinition,
  shareTable,
  tenantLimitRaisedBy,
  type Used,
  usedWords,
} from '#lib/tenancy';
import { apiLimits } from '../../services/api/http/api-limits.ts';
import { consoleLimits } from '../../services/console/limits.ts';
import { ingressLimits } from '../../services/ingress/limits.ts';
import { markdownTable } from './markdown-table.ts';

const head = ['limit', 'whose', 'how many', 'counts', '`used`', 'at the limit', 'raised by'];

const table =
  /^\| limit \| whose \| how many \| counts \| `used` \| at the limit \| raised by \|\n\|---\|---\|---\|---\|---\|---\|---\|\n(?:\|.*\n)*/m;

/** The limits that are no tenant's number and no share, by the service that has them. */
export const otherLimits: Readonly<Record<string, OtherLimits>> = {
  api: apiLimits,
  ingress: ingressLimits,
  console: consoleLimits,
};

const usedText = (used: Used | undefined): string => (used === undefined ? '–' : usedWords[used]);

/** The page with its table of limits generated. */
export function withLimits(page: string): string {
  if (!table.test(page)) throw new Error('docs/tenancy.md has no table of limits to replace');
  return page.replace(table, () => `${markdownTable(head, limitRows())}\n`);
}

/** Every rate and limit: those of tenants, their shares, then those of each service. */
export const limitRows = (): string[][] => [
  ...Object.entries<LimitDefinition>(limitTable).map(([name, { default: usual, max, counts, used, atLimit }]) => [
    `\`${name}\``,
    'each tenant',
    `${usual}, up to ${max}`,
    ...[counts, usedText(used), atLimit, tenantLimitRaisedBy],
  ]),
  ...Object.entries<ShareDefinition>(shareTable).map(([name, { of, counts, used, atLimit }]) => [
    ...[`\`${name}\``, 'each tenant', `a [share](#shares) of ${of}`, counts, usedText(used), atLimit],
    'the operator, by the size of the whole',
  ]),
  ...Object.values(otherLimits).flatMap((limits) =>
    Object.entries<OtherLimit>(limits).map(([name, { whose, usual, counts, used, atLimit, raisedBy }]) => [
      ...[`\`${name}\``, whose, usual === null ? 'none' : String(usual)],
      ...[counts, usedText(used), atLimit, raisedBy],
    ]),
  ),
];
