/** Connection settings for Postgres. TLS has libpq's words and meanings, so that a URL means here what it means to `psql`. */
import { type ConfigOf, oneOf, type Problem, text } from './fields.ts';

const modes = ['disable', 'require', 'verify-ca', 'verify-full'] as const;
type TlsMode = (typeof modes)[number];

export const postgresFields = {
  databaseUrl: text('HOOKLINE_DATABASE_URL', {
    pattern: /^postgres(ql)?:\/\//,
    help: 'Postgres 15 or later; may have libpq’s `sslmode`, `sslrootcert`, `sslcert` and `sslkey`',
  }),
  databaseSslMode: oneOf('HOOKLINE_DATABASE_SSLMODE', ['', ...modes], {
    default: '',
    help: '`disable`, `require` (encrypted, but verifies nothing without a CA), `verify-ca` or `verify-full` (also the host name), as libpq has them; empty: that of the URL, else `disable`',
  }),
  databaseCaFile: text('HOOKLINE_DATABASE_CA_FILE', {
    default: '',
    help: 'PEM file of the CAs of Postgres’ certificate; empty: that of the URL, else the public CAs. A renewed file needs no restart',
  }),
  databasePasswordFile: text('HOOKLINE_DATABASE_PASSWORD_FILE', {
    default: '',
    help: 'file with the password, in place of one in the URL; read at each new connection, so a new password needs no restart',
  }),
};

type PostgresConfig = ConfigOf<typeof postgresFields>;

export interface DatabaseTls {
  mode: Exclude<TlsMode, 'disable'>;
  /** Paths; empty: none. */
  caFile: string;
  certFile: string;
  keyFile: string;
}

interface DatabaseUrl {
  /** Without the parameters of TLS. */
  url: string;
  /** undefined: not encrypted. */
  tls: DatabaseTls | undefined;
  problems: Problem[];
}

/** Ours, and those that only say how the driver should read ours. */
const tlsParameters = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'uselibpqcompat'];
const named = 'HOOKLINE_DATABASE_URL';

export function readDatabaseUrl(config: PostgresConfig): DatabaseUrl {
  const [base = '', query = ''] = config.databaseUrl.split(/\?(.*)/s);
  const parameters = new URLSearchParams(query);
  const given = (name: string): string => parameters.get(name) ?? '';
  const problems: Problem[] = [];

  const either = (variable: string, setting: string, parameter: string): string => {
    if (setting !== '' && given(parameter) !== '' && setting !== given(parameter))
      problems.push(`${variable} and \`${parameter}\` of ${named} differ: set one of them`);
    return setting === '' ? given(parameter) : setting;
  };
  const mode = either('HOOKLINE_DATABASE_SSLMODE', config.databaseSslMode, 'sslmode');
  const ca = either('HOOKLINE_DATABASE_CA_FILE', config.databaseCaFile, 'sslrootcert');
  const caFile = ca === 'system' ? '' : ca;
  const [certFile, keyFile] = [given('sslcert'), given('sslkey')];

  if (parameters.has('ssl')) problems.push(`${named}: \`ssl\` is not supported: use \`sslmode\``);
  if (given('sslnegotiation') === 'direct') problems.push(`${named}: \`sslnegotiation=direct\` is not supported`);
  if (mode === 'prefer' || mode === 'allow')
    problems.push(`${named}: \`sslmode=${mode}\` continues unencrypted where the server has no TLS: use \`require\``);
  else if (mode !== '' && !modes.includes(mode as TlsMode))
    problems.push(`${named}: \`sslmode\` must be one of ${modes.join(', ')}`);
  if (mode === 'verify-ca' && caFile === '')
    problems.push(
      '`sslmode` verify-ca needs a CA file: anybody can get a certificate of a public CA for a host of theirs',
    );
  if (ca === 'system' && mode !== 'verify-full') problems.push('`sslrootcert=system` needs `sslmode=verify-full`');
  if ((mode === '' || mode === 'disable') && [ca, certFile, keyFile].some((file) => file !== ''))
    problems.push('a CA file or client certificate for Postgres needs `sslmode` require, verify-ca or verify-full');
  if ((certFile === '') !== (keyFile === ''))
    problems.push(`${named}: \`sslcert\` and \`sslkey\` must be set together`);
  if (config.databasePasswordFile !== '') {
    if (hasPassword(base, parameters))
      problems.push(`HOOKLINE_DATABASE_PASSWORD_FILE is set, so ${named} must have no password`);
  }

  const others = query.split('&').filter((pair) => pair !== '' && !tlsParameters.includes(pair.split('=', 1)[0] ?? ''));
  return {
    url: others.length === 0 ? base : `${base}?${others.join('&')}`,
    tls:
      mode === '' || mode === 'disable' ? undefined : { mode: mode as DatabaseTls['mode'], caFile, certFile, keyFile },
    problems,
  };
}

export const postgresRelations = (config: PostgresConfig): Problem[] => readDatabaseUrl(config).problems;

const hasPassword = (base: string, parameters: URLSearchParams): boolean =>
  /:\/\/[^@/]*:[^@]+@/.test(base) || (parameters.get('password') ?? '') !== '';
