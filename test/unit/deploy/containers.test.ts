import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { type Fields, tracingFields } from '#lib/config';
import { adminAddressesOf } from '#deploy/docker/admin-address.ts';
import { composeEnvironment } from '#deploy/docker/compose-environment.ts';
import { portsAt, serviceNames } from '#deploy/local/stack/ports.ts';
import { imageNodeOptions, serviceAllocator } from '#deploy/local/stack/node-options.ts';
import { processModes } from '#deploy/local/stack/process-mode.ts';
import { setupFields } from '../../../services/cli/config.ts';
import { settingsByService } from '../../support/documents.ts';
import { neededElsewhere } from '../../support/manifests.ts';

interface ComposeService {
  image: string;
  command?: string[];
  environment?: Record<string, string | number>;
  ports?: string[];
  read_only?: boolean;
  stop_grace_period?: string;
  healthcheck?: object;
  depends_on?: Record<string, { condition: string }>;
  profiles?: string[];
  networks?: Record<string, { aliases: string[] }>;
}

const root = join(import.meta.dirname, '../../..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const compose = parse(read('docker-compose.yml'), { merge: true }) as { services: Record<string, ComposeService> };
const services = Object.entries(compose.services);
const secrets = { encryptionKeys: 'k1:a', adminKey: 'b', postgresPassword: 'c' };

describe('docker-compose.yml', () => {
  const text = read('docker-compose.yml');
  const defaults = new Map(
    [...text.matchAll(/\$\{(HOOKLINE_PORT_\w+):-(\d+)\}/g)].map(([, name, port]) => [name, port]),
  );

  test('has the ports of the local stack', () => {
    const ports = Object.entries(composeEnvironment(portsAt(0), secrets, 0)).filter(([name]) =>
      name.includes('_PORT_'),
    );
    expect(new Map([...defaults].sort())).toEqual(new Map(ports.sort()));
  });

  test('is told of every variable that it asks for, by any offset', () => {
    const asked = new Set([...text.matchAll(/\$\{(\w+)/g)].map(([, name = '']) => name));
    asked.delete('HOOKLINE_VERSION');
    // Passed on from the caller's environment, which may have none.
    const passedOn = [...asked].filter((name) => name.startsWith('OTEL_') || name === 'HOOKLINE_ADMIN_KEYS');
    for (const name of passedOn) {
      expect(text).toContain(`${name}: \${${name}:-}`);
      asked.delete(name);
    }
    const told = composeEnvironment(portsAt(1_000), secrets, 1_000);
    expect(new Set(Object.keys(told))).toEqual(asked);
    for (const [name, port] of defaults) expect(Number(told[name ?? ''])).toBe(Number(port) + 1_000);
  });

  test('listens on this machine alone', () => {
    const ports = services.flatMap(([, { ports: published = [] }]) => published);
    expect(new Set(ports).size).toBe(defaults.size);
    for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:\$\{/);
  });

  test('runs the versions that the project runs elsewhere', () => {
    const pom = read('deploy/local/install/pom.xml');
    const version = (name: string): string => new RegExp(`<${name}.version>(.*)</`).exec(pom)?.[1] ?? 'none';
    expect(compose.services.kafka?.image).toBe(`apache/kafka:${version('kafka')}`);
    expect(compose.services.registry?.image).toBe(`apicurio/apicurio-registry:${version('registry')}`);
    const { devDependencies } = JSON.parse(read('package.json')) as { devDependencies: Record<string, string> };
    expect(compose.services.grafana?.image).toBe(`grafana/grafana:${devDependencies['@grafana/schema']}`);
  });

  test('names a version of every image', () => {
    for (const [, { image }] of services) expect(image).toMatch(/:(v?\d+(\.\d+)+|\$\{HOOKLINE_VERSION:-local\})$/);
  });

  test.each(serviceNames)('starts %s when it has what it needs, with little to do harm with', (name) => {
    const service = compose.services[name];
    expect(service?.command).toEqual([`services/${name}/main.ts`]);
    expect(service?.read_only).toBe(true);
    const waitsFor = service?.depends_on ?? {};
    if (name === 'console') expect(waitsFor).toEqual({ api: { condition: 'service_healthy' } });
    else expect(waitsFor.setup?.condition).toBe('service_completed_successfully');
    const stopping = Number(settingsByService[name].shutdownTimeoutMs.defaultText) / 1_000;
    expect(Number.parseInt(service?.stop_grace_period ?? '0', 10)).toBeGreaterThan(stopping);
  });

  test('has all services in one process, with their names and ports, in the place of theirs', () => {
    const { serve } = compose.services;
    expect(serve?.command).toEqual(['services/cli/main.ts', 'serve']);
    expect(serve?.networks?.default?.aliases.toSorted()).toEqual([...serviceNames].sort());
    const portsOfAll = serviceNames.flatMap((name) => compose.services[name]?.ports ?? []);
    expect(serve?.ports?.toSorted()).toEqual(portsOfAll.sort());
    for (const mode of processModes) {
      const started = services.flatMap(([name, { profiles }]) => (profiles?.includes(mode) ? [name] : []));
      expect(started).toEqual(mode === 'one' ? ['serve'] : serviceNames);
    }
    expect(serve?.stop_grace_period).toBe(compose.services.ingress?.stop_grace_period);
  });

  test.each([...serviceNames, 'setup' as const])('gives %s the settings that it needs', (name) => {
    const fields: Fields = name === 'setup' ? setupFields : settingsByService[name];
    const given = compose.services[name]?.environment ?? {};
    expect(neededElsewhere(fields).filter((env) => !(env in given))).toEqual([]);
  });

  test('gives the console nothing but the api', () => {
    const { environment = {} } = compose.services.console ?? {};
    const known = new Set(Object.values({ ...settingsByService.console, ...tracingFields }).map(({ env }) => env));
    expect(Object.keys(environment).filter((name) => !known.has(name))).toEqual([]);
    expect(environment.HOOKLINE_API_URL).toBe(`http://api:${portsAt(0).api}`);
  });

  test('every server that is waited for is asked after its health', () => {
    const waitedFor = services.flatMap(([, { depends_on = {} }]) =>
      Object.entries(depends_on).flatMap(([name, { condition }]) => (condition === 'service_healthy' ? [name] : [])),
    );
    expect(new Set(waitedFor)).toEqual(new Set(['kafka', 'postgres', 'registry', 'redis', 'prometheus', 'api']));
    // The image of the services has its own.
    expect(read('deploy/docker/Dockerfile')).toContain('\nHEALTHCHECK ');
    for (const name of waitedFor.filter((each) => each !== 'api'))
      expect(compose.services[name]?.healthcheck).toBeDefined();
  });

  test('has Prometheus ask every service', () => {
    const targets = parse(read('deploy/docker/prometheus-targets.yml')) as {
      targets: string[];
      labels: { job: string };
    }[];
    const { admin } = portsAt(0);
    expect(new Map(targets.map(({ targets: [target], labels }) => [labels.job, target]))).toEqual(
      new Map(serviceNames.map((name) => [`hookline-${name}`, `${name}:${admin[name]}`])),
    );
  });
});

test('the image has the Node that the project is developed with', () => {
  const { devDependencies } = JSON.parse(read('package.json')) as { devDependencies: { node: string } };
  expect(read('deploy/docker/Dockerfile')).toContain(`NODE_IMAGE=node:${devDependencies.node}-`);
});

test('the image has the memory settings of the local stack', () => {
  const [[name, value] = []] = Object.entries(serviceAllocator);
  expect(read('deploy/docker/Dockerfile')).toContain(`\nENV NODE_OPTIONS=${imageNodeOptions} ${name}=${value}\n`);
});

test('the image has its code compiled, for the user that it runs as', () => {
  const dockerfile = read('deploy/docker/Dockerfile');
  const [, user = ''] = /^USER (\S+)\nENV NODE_ENV/m.exec(dockerfile) ?? [];
  // Node names the folder of a cache after the user.
  expect(dockerfile).toMatch(new RegExp(`^USER ${user}\nRUN set -eu; \\\\\n +export NODE_COMPILE_CACHE=`, 'm'));
  expect(dockerfile).toContain('\nENV NODE_COMPILE_CACHE=/app/compile-cache NODE_COMPILE_CACHE_PORTABLE=1\n');
});

test('the context of the image holds all that it copies', () => {
  const copied = [...read('deploy/docker/Dockerfile').matchAll(/^COPY (?!--from)(.*) \S+$/gm)].flatMap(
    ([, sources = '']) => sources.split(' '),
  );
  const sent = new Set([...read('.dockerignore').matchAll(/^!(.*)$/gm)].map(([, path]) => path));
  expect(copied.length).toBeGreaterThan(5);
  for (const path of copied) expect(sent).toContain(path);
});

describe('the health check of a container', () => {
  test('starts a process twice a minute at most, in words that every engine knows', () => {
    const [, interval = '', rest = ''] =
      /\nHEALTHCHECK --interval=(\d+)s (.*(?:\n {2}.*)*)/.exec(read('deploy/docker/Dockerfile')) ?? [];
    expect(Number(interval)).toBeGreaterThanOrEqual(30);
    // Engines before version 25 refuse to build with it.
    expect(rest).not.toContain('--start-interval');
    expect(rest).toContain('--start-period=');
  });

  test.each(serviceNames)('asks %s where it listens', async (name) => {
    const command = ['/usr/local/bin/node', `services/${name}/main.ts`, ''];
    expect(await adminAddressesOf(command)).toEqual([`http://127.0.0.1:${portsAt(0).admin[name]}`]);
  });

  test('asks each service of a process that has several', async () => {
    const command = ['/usr/local/bin/node', 'services/cli/main.ts', 'serve'];
    const { admin } = portsAt(0);
    expect(await adminAddressesOf([...command, ''])).toEqual(
      serviceNames.map((name) => `http://127.0.0.1:${admin[name]}`),
    );
    expect(await adminAddressesOf([...command, '--only', 'api,ingress', ''])).toEqual([
      `http://127.0.0.1:${admin.ingress}`,
      `http://127.0.0.1:${admin.api}`,
    ]);
  });

  test('asks nothing of what is no service', async () => {
    expect(await adminAddressesOf(['/usr/local/bin/node', 'services/cli/main.ts', 'setup', ''])).toEqual([]);
  });
});
