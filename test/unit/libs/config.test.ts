import {
  configTable,
  describeConfig,
  envExample,
  flag,
  integer,
  list,
  oneOf,
  readConfig,
  serviceFields,
  serviceRelations,
  text,
} from '#lib/config';
import type { AppError } from '#lib/runtime';

const fields = {
  port: integer('PORT', { default: '8080', min: 0, max: 65_535, help: 'the port' }),
  mode: oneOf('MODE', ['fast', 'safe'], { default: 'safe', help: 'the mode' }),
  names: list('NAMES', { help: 'some names' }),
  quiet: flag('QUIET', { default: 'false', help: 'no noise' }),
  key: text('KEY', { secret: true, pattern: /^k/, help: 'the key' }),
  database: text('DATABASE', { default: 'postgres://user:hunter2@localhost/x', help: 'where' }),
};

const thrownBy = (run: () => unknown): AppError => {
  try {
    run();
  } catch (error) {
    return error as AppError;
  }
  throw new Error('nothing was thrown');
};

describe('configuration', () => {
  test('takes what is set, and defaults for the rest', () => {
    expect(readConfig(fields, { NAMES: 'a, b', KEY: 'k1', PORT: '1' })).toEqual({
      port: 1,
      mode: 'safe',
      names: ['a', 'b'],
      quiet: false,
      key: 'k1',
      database: 'postgres://user:hunter2@localhost/x',
    });
  });

  test('reports every problem at once, and no secret in it', () => {
    const error = thrownBy(() => readConfig(fields, { PORT: '70000', MODE: 'slow', QUIET: 'yes', KEY: 'hush' }));
    expect(error).toMatchObject({ code: 'config_invalid' });
    expect(error.message.split('\n')).toHaveLength(5);
    expect(error.message).toMatch(/PORT=70000 .*NAMES is not set|PORT=70000/s);
    expect(error.message).toContain('NAMES is not set');
    expect(error.message).not.toContain('hush');
  });

  test.each(['', ' 1', '1.5', '1e3', '0x10', '--1', '9999999999999999'])(
    'the text %j is not a whole number',
    (given) => {
      expect(thrownBy(() => readConfig({ port: fields.port }, { PORT: given })).code).toBe('config_invalid');
    },
  );

  test('checks relations between fields once each field is right', () => {
    const relation = (config: { port: number }) => (config.port === 1 ? ['PORT=1 is taken'] : []);
    expect(thrownBy(() => readConfig({ port: fields.port }, { PORT: '1' }, [relation])).message).toBe(
      'PORT=1 is taken',
    );
  });

  test('can’t be changed afterwards', () => {
    const config = readConfig({ port: fields.port }, {});
    expect(() => Object.assign(config, { port: 2 })).toThrow(TypeError);
  });

  test('is described without secrets and passwords', () => {
    const described = describeConfig(fields, readConfig(fields, { NAMES: 'a', KEY: 'k-secret' }));
    expect(described).toMatchObject({ keySet: true, database: 'postgres://user:***@localhost/x' });
    expect(JSON.stringify(described)).not.toMatch(/k-secret|hunter2/);
  });

  test('production refuses an armed crash point', () => {
    const read = (environment: string) =>
      readConfig(serviceFields(9080), { HOOKLINE_ENV: environment, HOOKLINE_CRASH_POINT: 'dedup.after-claim' }, [
        serviceRelations,
      ]);
    expect(thrownBy(() => read('production')).message).toContain('HOOKLINE_CRASH_POINT');
    expect(read('test').crashPoint).toBe('dedup.after-claim');
  });

  test('documents itself', () => {
    expect(envExample([{ port: fields.port, names: fields.names }])).toBe(
      '# some names\nNAMES=\n\n# the port\n# PORT=8080\n',
    );
    expect(configTable({ port: fields.port })).toBe(
      '| variable | default | meaning |\n|---|---|---|\n| `PORT` | `8080` | the port |',
    );
  });
});
