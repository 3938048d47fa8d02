import { type LimitDefinition, limitTable, type ShareDefinition, shareTable } from '#lib/tenancy';

const table = /^\| limit \| default \| highest \| counts \| at the limit \|\n\|---\|---\|---\|---\|---\|\n(?:\|.*\n)*/m;

const shares = /^\| share \| of \| counts \| at the share \|\n\|---\|---\|---\|---\|\n(?:\|.*\n)*/m;

/** docs/tenancy.md with its tables of limits and shares generated; all other text is written by hand. */
export function tenancyDocument(page: string): string {
  if (!table.test(page)) throw new Error('docs/tenancy.md has no table of limits to replace');
  if (!shares.test(page)) throw new Error('docs/tenancy.md has no table of shares to replace');
  const rows = Object.entries<LimitDefinition>(limitTable).map(
    ([name, { default: usual, max, counts, atLimit }]) =>
      `| \`${name}\` | ${usual} | ${max} | ${counts} | ${atLimit} |`,
  );
  const head = ['| limit | default | highest | counts | at the limit |', '|---|---|---|---|---|'];
  const shareRows = Object.entries<ShareDefinition>(shareTable).map(
    ([name, { of, counts, atLimit }]) => `| \`${name}\` | ${of} | ${counts} | ${atLimit} |`,
  );
  const shareHead = ['| share | of | counts | at the share |', '|---|---|---|---|'];
  return page
    .replace(table, () => `${[...head, ...rows].join('\n')}\n`)
    .replace(shares, () => `${[...shareHead, ...shareRows].join('\n')}\n`);
}
