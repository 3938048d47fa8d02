import { type ConfigOf, postgresFields, postgresRelations, readConfig, readDatabaseUrl } from '#lib/config';

type Given = Partial<ConfigOf<typeof postgresFields>>;
const config = (given: Given): ConfigOf<typeof postgresFields> => ({
  ...readConfig(postgresFields, { HOOKLINE_DATABASE_URL: 'postgres://hookline:pw@db.example/hookline' }),
  ...given,
});
const at = (query: string): string => `postgres://hookline:pw@db.example/hookline?${query}`;

test('by default nothing is encrypted, as with the driver itself, and the URL is as it was', () => {
  const databaseUrl = at('application_name=a%20b&connect_timeout=3');
  expect(readDatabaseUrl(config({ databaseUrl }))).toEqual({ url: databaseUrl, tls: undefined, problems: [] });
});

test('what a URL says of TLS is taken out of it, so that the driver does not read it in its own way', () => {
  const databaseUrl = at(
    'sslmode=verify-full&a=1&sslrootcert=%2Fca.pem&sslcert=c.pem&sslkey=k.pem&uselibpqcompat=true',
  );
  expect(readDatabaseUrl(config({ databaseUrl }))).toEqual({
    url: at('a=1'),
    tls: { mode: 'verify-full', caFile: '/ca.pem', certFile: 'c.pem', keyFile: 'k.pem' },
    problems: [],
  });
});

test('settings say the same as the URL, for those who are given one', () => {
  expect(readDatabaseUrl(config({ databaseSslMode: 'verify-ca', databaseCaFile: 'ca.pem' })).tls).toEqual(
    readDatabaseUrl(config({ databaseUrl: at('sslmode=verify-ca&sslrootcert=ca.pem') })).tls,
  );
  expect(readDatabaseUrl(config({ databaseSslMode: 'disable' })).tls).toBeUndefined();
  expect(postgresRelations(config({ databaseUrl: at('sslmode=require'), databaseSslMode: 'require' }))).toEqual([]);
});

test('the public CAs have a name of their own, as in libpq', () => {
  const databaseUrl = at('sslmode=verify-full&sslrootcert=system');
  expect(readDatabaseUrl(config({ databaseUrl }))).toMatchObject({ tls: { caFile: '' }, problems: [] });
});

test.each<[given: Given, says: RegExp]>([
  [{ databaseUrl: at('sslmode=prefer') }, /continues unencrypted .* use `require`$/],
  [{ databaseUrl: at('sslmode=no-verify') }, /must be one of disable, require, verify-ca, verify-full$/],
  [{ databaseUrl: at('sslmode=verify-ca') }, /verify-ca needs a CA file/],
  [{ databaseUrl: at('sslmode=require&sslrootcert=system') }, /needs `sslmode=verify-full`$/],
  [{ databaseUrl: at('ssl=true') }, /`ssl` is not supported: use `sslmode`$/],
  [{ databaseUrl: at('sslmode=require&sslnegotiation=direct') }, /sslnegotiation=direct` is not supported$/],
  [{ databaseUrl: at('sslmode=require&sslcert=c.pem') }, /must be set together$/],
  [{ databaseCaFile: 'ca.pem' }, /needs `sslmode` require, verify-ca or verify-full$/],
  [
    { databaseUrl: at('sslmode=require'), databaseSslMode: 'verify-full' },
    /HOOKLINE_DATABASE_SSLMODE and `sslmode` .* differ/,
  ],
  [
    { databaseUrl: at('sslmode=verify-ca&sslrootcert=a.pem'), databaseCaFile: 'b.pem' },
    /HOOKLINE_DATABASE_CA_FILE and `sslrootcert` .* differ/,
  ],
  [{ databasePasswordFile: 'password' }, /HOOKLINE_DATABASE_URL must have no password$/],
  [{ databaseUrl: 'postgres://hookline@db/x?password=a', databasePasswordFile: 'password' }, /must have no password$/],
])('%j is refused, and says why without the password', (given, says) => {
  const problems = postgresRelations(config(given));
  expect(problems).toHaveLength(1);
  expect(problems.join('\n')).toMatch(says);
  expect(problems.join('\n')).not.toMatch(/pw/);
});

test('a URL that is none is reported without its password, whatever is in it', () => {
  for (const url of ['postgress://hookline:se/c@ret@db/x', 'mysql://db/x?user=a&password=secret'])
    expect(() => readConfig(postgresFields, { HOOKLINE_DATABASE_URL: url })).toThrow(
      /HOOKLINE_DATABASE_URL=(?!.*(ret@|secret))/,
    );
});
