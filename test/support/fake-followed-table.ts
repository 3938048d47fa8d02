import type { Query } from '#lib/postgres';

interface Row {
  tenant: string;
  id: string;
  changed_at: string;
  deleted_at?: string | null;
}

/**
 * Rows as `followTable` asks for them: every one is among the changes each time, so that `changed_at` alone decides which are taken.
 * test/integration/postgres tries the statements on Postgres itself.
 *
 * @param before what happens to each statement
 * @param asOf the time of Postgres
 */
export function fakeFollowedTable(
  rows: readonly object[],
  before: (text: string) => Promise<void>,
  asOf: () => string = () => '2026-01-01T00:00:00.000000Z',
): Query {
  const position = () => ({ snapshot: '10:10:', server: 'one', backend: 1, as_of: asOf() });
  const all = (): Row[] => rows.map((row) => ({ buried: false, ...(row as Row) }));
  const answer = (text: string, values: readonly unknown[]): object[] => {
    if (text.includes('pg_visible_in_snapshot')) {
      const changed = all().map((row) => ({ ...position(), ...row, bytes: 100 }));
      return changed.length > 0 ? changed : [{ ...position(), id: null }];
    }
    if (text.includes('pg_current_snapshot')) return [position()];
    if (text.includes('unnest')) return all().filter(({ id }) => (values[1] as string[]).includes(id));
    if (text.includes('ANY')) return all().filter(({ id }) => (values[0] as string[]).includes(id));
    return values.length === 0 ? all() : [];
  };
  return {
    async query<T extends object>(text: string, values: readonly unknown[] = []) {
      await before(text);
      return answer(text, values) as T[];
    },
  };
}
