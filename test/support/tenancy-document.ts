import { goesWithHost, headerKinds } from '#lib/contract';
import { withLimits } from './limits-table.ts';
import { markdownTable } from './markdown-table.ts';

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

/** docs/tenancy.md with its tables generated; all other text is written by hand. */
export function tenancyDocument(page: string): string {
  if (!hostTable.test(page)) throw new Error('docs/tenancy.md has no table of what goes with a host to replace');
  if (!headersTable.test(page)) throw new Error('docs/tenancy.md has no table of who may see which header to replace');
  return withLimits(page)
    .replace(headersTable, () => `${headersShownTable()}\n`)
    .replace(hostTable, () => `${hostBoundTable()}\n`);
}
