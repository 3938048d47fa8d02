import { connect } from 'node:net';
import type { Query } from '#lib/postgres';
import { within } from '../../support/wait-until.ts';

/** Every column that could hold text or bytes, of every table that is no partition's parent. */
const textColumns = `
  SELECT c.table_name::text AS "table", c.column_name::text AS "column", c.data_type::text AS type
    FROM information_schema.columns c
    JOIN pg_class p ON p.relname = c.table_name AND p.relnamespace = current_schema()::regnamespace
   WHERE c.table_schema = current_schema() AND p.relkind = 'r'
     AND c.data_type IN ('text', 'bytea', 'json', 'jsonb', 'ARRAY', 'character varying')`;

/** Columns of the database that have the text, as it is, in bytes or in JSON: `table.column`. */
export async function columnsWith(postgres: Query, marker: string): Promise<string[]> {
  const columns = await postgres.query<{ table: string; column: string; type: string }>(textColumns);
  const found: string[] = [];
  for (const { table, column, type } of columns) {
    const condition =
      type === 'bytea'
        ? `position(convert_to($1, 'UTF8') IN "${column}") > 0`
        : `position($1 IN "${column}"::text) > 0 OR position(encode(convert_to($1, 'UTF8'), 'hex') IN "${column}"::text) > 0`;
    const rows = await postgres.query(`SELECT FROM "${table}" WHERE ${condition} LIMIT 1`, [marker]);
    if (rows.length > 0) found.push(`${table}.${column}`);
  }
  return found.sort();
}

/** Keys of Redis that have the text in their name or value. The server may have other users, who have no such text. */
export async function redisKeysWith(redisUrl: string, marker: string): Promise<string[]> {
  const script = `
    local found = {}
    local cursor = '0'
    repeat
      local page = redis.call('SCAN', cursor, 'COUNT', 1000)
      cursor = page[1]
      for _, key in ipairs(page[2]) do
        local dumped = redis.call('TYPE', key).ok == 'string' and redis.call('GET', key) or redis.call('DUMP', key)
        if string.find(key, ARGV[1], 1, true) or string.find(dumped, ARGV[1], 1, true) then found[#found + 1] = key end
      end
    until cursor == '0'
    return #found`;
  const { hostname, port, password } = new URL(redisUrl);
  const command = (...words: string[]): string =>
    `*${words.length}\r\n${words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join('')}`;
  const socket = connect(Number(port || 6379), hostname);
  const answered = new Promise<string>((resolve, reject) => {
    let text = '';
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => (text += chunk));
    socket.on('error', reject);
    socket.on('close', () => resolve(text));
  });
  if (password !== '') socket.write(command('AUTH', decodeURIComponent(password)));
  socket.write(command('EVAL', script, '0', marker) + command('QUIT'));
  const text = await within('Redis is searched', 60_000, answered).finally(() => socket.destroy());
  const [, count] = /:(\d+)\r\n/.exec(text) ?? [];
  if (count === undefined) throw new Error(`Redis answered ${JSON.stringify(text.slice(0, 500))}`);
  return Array.from({ length: Number(count) }, (_, n) => `key ${n + 1}`);
}
