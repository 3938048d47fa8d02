import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { type Fields } from '#lib/config';
import { groupOf, topicNames, topicsOf } from '#lib/contract';
import { specialNetworks } from '#lib/http-client';
import { portsAt, type ServiceName, serviceNames } from '#deploy/local/stack/ports.ts';
import { generatedManifests } from '#deploy/k8s/generated.ts';
import { resealFields, setupFields } from '../../../services/cli/config.ts';
import { settingsByService } from '../../support/documents.ts';
import {
  containerOf,
  type Manifest,
  neededElsewhere,
  readManifests,
  root,
  templateOf,
} from '../../support/manifests.ts';

const k8s = join(root, 'deploy/k8s');
const overlays = ['local', 'production'];
/** Its pods are those of the ingress, with what this patch changes. */
const servePods = 'overlays/one-process/pods.yaml';

function one(manifests: readonly Manifest[], kind: string, name: string): Manifest {
  const found = manifests.find((manifest) => manifest.kind === kind && manifest.metadata.name === name);
  if (found === undefined) throw new Error(`no ${kind} ${name}`);
  return found;
}

/** `NAME=value` lines, comments left out. */
const settingsOf = (file: string): Map<string, string> =>
  new Map(
    [...readFileSync(join(k8s, file), 'utf8').matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name = '', value = '']) => [
      name,
      value,
    ]),
  );

const base = readManifests('base/**/*.yaml');
const everyService = one(base, 'Deployment', 'any');
const common = (overlay: string): Map<string, string> =>
  new Map([...settingsOf('base/settings.env'), ...settingsOf(`overlays/${overlay}/settings.env`)]);

/** A CronJob as the Job that it makes. */
const jobOf = (manifest: Manifest): Manifest => ({
  ...manifest,
  spec: (manifest.spec as { jobTemplate: { spec: Record<string, unknown> } }).jobTemplate.spec,
});

const processes: [string, Manifest, Fields][] = [
  ...serviceNames.map((service): [string, Manifest, Fields] => [
    service,
    one(base, 'Deployment', `hookline-${service}`),
    settingsByService[service],
  ]),
  ['setup', one(base, 'Job', 'hookline-setup'), setupFields],
  ['reseal-secrets', jobOf(one(base, 'CronJob', 'hookline-reseal-secrets')), resealFields],
];

test.each(Object.entries(generatedManifests()))('deploy/%s is as its source (`npm run docs:write`)', (file, text) => {
  expect(readFileSync(join(root, 'deploy', file), 'utf8')).toBe(text);
});

describe.each(processes)('the pod of %s', (_name, manifest, fields) => {
  const container = containerOf(manifest);

  test('runs a program that is there', () => {
    const [program = 'none'] = container.args;
    expect(existsSync(join(root, program))).toBe(true);
  });

  test.each(overlays)('has every setting that it needs, in %s', (overlay) => {
    const given = new Set([...common(overlay).keys(), ...(container.env ?? []).map(({ name }) => name)]);
    expect(neededElsewhere(fields).filter((env) => !given.has(env))).toEqual([]);
  });

  test('is given no secret that it does not read', () => {
    const known = new Set(Object.values(fields).map(({ env }) => env));
    expect((container.env ?? []).map(({ name }) => name).filter((name) => !known.has(name))).toEqual([]);
  });
});

const allFields = new Map(
  [...Object.values(settingsByService), setupFields].flatMap((fields: Fields) =>
    Object.values(fields).map((field) => [field.env, field] as const),
  ),
);

test.each(overlays)('what is set in %s are settings, with values that they take', (overlay) => {
  for (const [name, value] of common(overlay)) {
    const problem = allFields.get(name)?.parse(value) ?? { problem: `${name} is no setting` };
    expect(problem).not.toHaveProperty('problem');
  }
});

test('no secret has a value but in the local overlay', () => {
  const secrets = readManifests('**/*.yaml').filter(({ kind }) => kind === 'Secret');
  expect(secrets).toEqual(readManifests('overlays/local/secrets.yaml'));
  const named = [...allFields.values()].filter(({ secret }) => secret).map(({ env }) => env);
  expect(named).toContain('HOOKLINE_ENCRYPTION_KEYS');
  for (const name of [...named, 'HOOKLINE_DATABASE_URL', 'HOOKLINE_REDIS_URL'])
    expect(common('production').has(name)).toBe(false);
});

describe.each(serviceNames)('%s', (service) => {
  const container = containerOf(one(base, 'Deployment', `hookline-${service}`));

  test('shows the ports that it listens on', () => {
    const { admin, ...rest } = portsAt(0);
    const wanted = new Map<string, number>([['admin', admin[service]]]);
    if (service === 'ingress' || service === 'api' || service === 'console') wanted.set('http', rest[service]);
    expect(new Map(container.ports.map(({ name, containerPort }) => [name, containerPort]))).toEqual(wanted);
  });

  test('has the time to stop in order before it is killed', () => {
    const preStop = container.lifecycle?.preStop.sleep.seconds ?? 0;
    const stopping = Number(settingsOf('base/settings.env').get('HOOKLINE_SHUTDOWN_TIMEOUT_MS')) / 1_000;
    expect(templateOf(everyService).terminationGracePeriodSeconds).toBeGreaterThanOrEqual(preStop + stopping + 5);
  });

  test('that is asked over a Service goes on answering until the nodes know that it is gone', () => {
    const hasService = base.some(({ kind, metadata }) => kind === 'Service' && metadata.name === `hookline-${service}`);
    expect(container.lifecycle !== undefined).toBe(hasService);
  });

  test('has a disruption budget', () => {
    expect(one(base, 'PodDisruptionBudget', `hookline-${service}`).spec).toMatchObject({ maxUnavailable: 1 });
  });
});

describe('the overlay of one process', () => {
  const overlay = readManifests('overlays/one-process/*.yaml');
  const [pods] = readManifests(servePods);
  const container = containerOf(pods as Manifest);
  const fieldsOfAll = Object.values(settingsByService).flatMap((fields: Fields) => Object.values(fields));
  const component = 'app.kubernetes.io/component';

  test('runs `hookline serve`, with every setting that a service needs and no secret that none reads', () => {
    expect(container.args).toEqual(['services/cli/main.ts', 'serve']);
    const settings = new Map([...common('production'), ...settingsOf('overlays/one-process/settings.env')]);
    const given = new Set([...settings.keys(), ...(container.env ?? []).map(({ name }) => name)]);
    const needed = Object.values(settingsByService).flatMap((fields: Fields) => neededElsewhere(fields));
    expect(needed.filter((env) => !given.has(env))).toEqual([]);
    const known = new Set(fieldsOfAll.map(({ env }) => env));
    expect((container.env ?? []).map(({ name }) => name).filter((name) => !known.has(name))).toEqual([]);
  });

  test('gives it the secrets of all services, as each of them has them', () => {
    const separate = serviceNames.flatMap(
      (service) => containerOf(one(base, 'Deployment', `hookline-${service}`)).env ?? [],
    );
    const secrets = separate.filter((variable) => 'valueFrom' in variable);
    expect(new Set((container.env ?? []).map((variable) => JSON.stringify(variable)))).toEqual(
      new Set(secrets.map((variable) => JSON.stringify(variable))),
    );
  });

  test('has room for what its queues may take', () => {
    const { limits } = (container as unknown as { resources: { limits: { memory: string } } }).resources;
    expect(limits.memory).toBe('1Gi');
    const bytes = Number(settingsOf('overlays/one-process/settings.env').get('HOOKLINE_SERVE_MEMORY_BYTES'));
    expect(bytes).toBeLessThanOrEqual(2 ** 30 / 2);
  });

  test('shows the ports of all services, whose names are short enough', () => {
    const { admin, ingress, api, console } = portsAt(0);
    expect(container.ports.map(({ containerPort }) => containerPort).sort()).toEqual(
      [ingress, api, console, ...Object.values(admin)].sort(),
    );
    for (const { name } of container.ports) expect(name.length).toBeLessThanOrEqual(15);
    expect(container.ports.find(({ name }) => name === 'admin')?.containerPort).toBe(admin.ingress);
  });

  test('leads each Service to its port of these pods', () => {
    const services = overlay.filter(({ kind }) => kind === 'Service');
    const all = base.filter(({ kind }) => kind === 'Service').map(({ metadata }) => metadata.name);
    expect(services.map(({ metadata }) => metadata.name).sort()).toEqual(all.sort());
    for (const { metadata, spec } of services) {
      const { selector, ports = [{ targetPort: 'http' }] } = spec as {
        selector: Record<string, string>;
        ports?: { targetPort: string }[];
      };
      expect(selector).toEqual({ [component]: 'serve' });
      const port = container.ports.find(({ name }) => name === ports[0]?.targetPort)?.containerPort;
      expect(port).toBe(portsAt(0)[metadata.name.replace('hookline-', '') as 'ingress' | 'api' | 'console']);
    }
  });

  test('has Prometheus ask every service, under the name that rules go by', () => {
    const { podMetricsEndpoints } = one(overlay, 'PodMonitor', 'hookline').spec as {
      podMetricsEndpoints: { port: string; relabelings: { replacement: string }[] }[];
    };
    const asked = podMetricsEndpoints.map(({ port, relabelings }) => [
      relabelings[0]?.replacement,
      container.ports.find(({ name }) => name === port)?.containerPort,
    ]);
    expect(asked).toEqual(
      expect.arrayContaining(serviceNames.map((service) => [`hookline-${service}`, portsAt(0).admin[service]])),
    );
  });

  test('is scaled by the lag of everything that the services are scaled by', () => {
    const triggersOf = (manifest: Manifest): unknown[] => (manifest.spec as { triggers: unknown[] }).triggers;
    const separate = readManifests('scaling/*.yaml').filter(({ kind }) => kind === 'ScaledObject');
    expect(triggersOf(one(overlay, 'ScaledObject', 'hookline-serve'))).toEqual(separate.flatMap(triggersOf));
    expect(one(overlay, 'ScaledObject', 'hookline-serve').spec).toMatchObject({ minReplicaCount: 2 });
  });

  test('takes out every object that is of a separate service', () => {
    const [kustomization] = readManifests('overlays/one-process/kustomization.yaml');
    const { patches } = kustomization as unknown as {
      patches: { target?: { kind: string; name?: string }; patch?: string }[];
    };
    const removes = (kind: string, name: string): boolean =>
      patches.some(
        ({ target, patch }) =>
          patch?.startsWith('$patch: delete') === true &&
          target?.kind === kind &&
          new RegExp(`^(${target.name ?? '.*'})$`).test(name),
      );
    const kinds = ['Deployment', 'PodDisruptionBudget', 'ScaledObject', 'HorizontalPodAutoscaler'];
    const left = [...base, ...readManifests('scaling/*.yaml')]
      .filter(({ kind, metadata }) => kinds.includes(kind) && metadata.name !== 'any' && !removes(kind, metadata.name))
      .map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect(left.sort()).toEqual(['Deployment hookline-ingress', 'PodDisruptionBudget hookline-ingress']);
  });
});

test('no webhook goes unanswered for a rollout: a pod is there before one goes', () => {
  expect(everyService.spec).toMatchObject({ strategy: { rollingUpdate: { maxUnavailable: 0 } } });
});

test('every pod is without privileges, and without what Services put into environments', () => {
  const [everyPod] = readManifests('base/every-pod.yaml');
  expect(templateOf(everyPod as Manifest)).toMatchObject({
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
  });
  expect(containerOf(everyPod as Manifest).securityContext).toEqual({
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  });
});

test('a Job that an operator makes of a CronJob runs as every pod does, and never by itself', () => {
  const [everyPod] = readManifests('base/every-pod.yaml');
  const [everyCronJob] = readManifests('base/every-cron-job.yaml');
  expect(templateOf(jobOf(everyCronJob as Manifest))).toEqual(templateOf(everyPod as Manifest));
  const reseal = one(base, 'CronJob', 'hookline-reseal-secrets');
  expect(reseal.spec).toMatchObject({ suspend: true });
  expect(containerOf(jobOf(reseal)).args).toEqual(['services/cli/main.ts', 'reseal-secrets']);
});

test('`hookline` in a pod of the api has its keys and the URL of that pod', () => {
  const { env = [] } = containerOf(one(base, 'Deployment', 'hookline-api'));
  const given = [...settingsOf('base/settings.env').keys(), ...env.map(({ name }) => name)];
  expect(given).toEqual(
    expect.arrayContaining([
      ...['HOOKLINE_ADMIN_KEY', 'HOOKLINE_DATABASE_URL', 'HOOKLINE_ENCRYPTION_KEYS', 'HOOKLINE_CLI_API_URL'],
    ]),
  );
  expect(settingsOf('base/settings.env').get('HOOKLINE_CLI_API_URL')).toBe(`http://127.0.0.1:${portsAt(0).api}`);
});

test('who applies by waves has the order of roll-out.sh', () => {
  const waveOf = (kind: string, name: string): number =>
    Number((one(base, kind, name).metadata as { annotations?: Record<string, string> }).annotations?.[wave]);
  const wave = 'argocd.argoproj.io/sync-wave';
  const [, services = ''] = /^services='(.*)'$/m.exec(readFileSync(join(k8s, 'roll-out.sh'), 'utf8')) ?? [];
  const waves = services.split(' ').map((service) => waveOf('Deployment', `hookline-${service}`));
  expect(waves).toHaveLength(serviceNames.length);
  expect(waves).toEqual(waves.map((_, index) => waveOf('Job', 'hookline-setup') + 1 + index));
  expect(readFileSync(join(k8s, 'scaling/kustomization.yaml'), 'utf8')).toContain(
    `${wave}: '${Math.max(...waves) + 1}'`,
  );
});

test('a long poll ends before the ingress controller gives it up', () => {
  const { metadata, spec } = one(readManifests('overlays/production/*.yaml'), 'Ingress', 'hookline');
  const { annotations = {} } = metadata as { annotations?: Record<string, string> };
  for (const kind of ['read', 'send'])
    expect(Number(annotations[`nginx.ingress.kubernetes.io/proxy-${kind}-timeout`])).toBeGreaterThan(60);
  expect(spec).toMatchObject({ ingressClassName: 'nginx' });
});

test('names are looked up at the cluster’s server and at that of the node', () => {
  const { egress } = one(base, 'NetworkPolicy', 'hookline-names').spec as { egress: { to: object[] }[] };
  expect(egress.flatMap(({ to }) => to)).toContainEqual({ ipBlock: { cidr: '169.254.20.10/32' } });
});

test('the dispatcher’s network refuses what the dispatcher refuses', () => {
  const { egress } = one(base, 'NetworkPolicy', 'hookline-dispatcher').spec as {
    egress: { to: { ipBlock: { cidr: string; except: string[] } }[] }[];
  };
  const blocks = egress.flatMap(({ to }) => to.map(({ ipBlock }) => ipBlock));
  expect(blocks.map(({ cidr }) => cidr)).toEqual(['0.0.0.0/0', '2000::/3']);
  expect(blocks.flatMap(({ except }) => except)).toEqual(specialNetworks);
});

describe('the network of the console', () => {
  interface Selector {
    matchLabels?: Record<string, string>;
    matchExpressions?: { key: string; operator: string; values: string[] }[];
  }
  interface Policy {
    podSelector: Selector;
    policyTypes: string[];
    egress?: { to: { podSelector?: Selector }[]; ports: { port: unknown }[] }[];
  }
  const labelsOf = (service: string): Record<string, string> => ({
    'app.kubernetes.io/name': 'hookline',
    'app.kubernetes.io/component': service,
  });
  const selects = ({ matchLabels = {}, matchExpressions = [] }: Selector, labels: Record<string, string>): boolean =>
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values }) => {
      if (operator !== 'NotIn') throw new Error(`the test does not know ${operator}`);
      return !values.includes(labels[key] ?? '');
    });
  /** Everything that lets a pod of the service out. */
  const waysOut = (service: string): string[] =>
    readManifests('{base,overlays}/**/*.yaml')
      .filter(({ kind }) => kind === 'NetworkPolicy')
      .filter(({ spec }) => {
        const { podSelector, egress = [] } = spec as unknown as Policy;
        return egress.length > 0 && podSelector !== undefined && selects(podSelector, labelsOf(service));
      })
      .map(({ metadata }) => metadata.name)
      .sort();

  test('leads to the api, to names and to the collector of traces, and to no store', () => {
    expect(waysOut('console')).toEqual(['hookline-console', 'hookline-monitoring', 'hookline-names']);
    const { egress } = one(base, 'NetworkPolicy', 'hookline-console').spec as unknown as Policy;
    expect(egress).toEqual([
      { to: [{ podSelector: { matchLabels: labelsOf('api') } }], ports: [{ protocol: 'TCP', port: 'http' }] },
    ]);
  });

  test('is not that of the others, the setup among them', () => {
    for (const service of ['api', 'projector', 'setup'])
      expect(waysOut(service)).toEqual(expect.arrayContaining(['hookline-stores', 'hookline-outer-stores']));
  });

  test('leads to the Service of the api', () => {
    const { env = [] } = containerOf(one(base, 'Deployment', 'hookline-console'));
    const { ports } = one(base, 'Service', 'hookline-api').spec as { ports: { port: number }[] };
    expect(env[0]).toEqual({ name: 'HOOKLINE_API_URL', value: `http://hookline-api:${ports[0]?.port}` });
    // Its only secret.
    expect(env.slice(1).map(({ name }) => name)).toEqual(['HOOKLINE_CATALOG_KEY']);
  });
});

describe('what is scaled by lag', () => {
  const scaled = readManifests('scaling/*.yaml').filter(({ kind }) => kind === 'ScaledObject');
  const topics = readManifests('kafka/topics.yaml');
  type Spec = { maxReplicaCount: number; triggers: { metadata: { consumerGroup: string; topic?: string } }[] };

  test('goes by the groups and topics of its consumers', () => {
    const triggers = new Map(
      scaled.map(({ metadata, spec }) => [
        metadata.name,
        (spec as Spec).triggers.map((trigger) => [trigger.metadata.consumerGroup, trigger.metadata.topic]),
      ]),
    );
    const topic = topicsOf('hookline.');
    const group = (name: Parameters<typeof groupOf>[1]): string => groupOf('hookline.', name);
    expect(triggers).toEqual(
      new Map([
        ['hookline-dedup', [[group('dedup'), topic['webhooks.received']]]],
        [
          'hookline-dispatcher',
          [
            [group('fan-out'), topic.events],
            [group('dispatcher'), topic.deliveries],
          ],
        ],
        ['hookline-projector', [[group('projector'), undefined]]],
      ]),
    );
  });

  test('has no more pods than partitions', () => {
    const partitions = topics.map(({ spec }) => spec.partitions as number);
    expect(partitions).toHaveLength(topicNames.length);
    for (const { spec } of scaled) expect((spec as Spec).maxReplicaCount).toBeLessThanOrEqual(Math.min(...partitions));
  });
});

test('every service is scaled by one thing', () => {
  const targets = readManifests('scaling/*.yaml')
    .filter(({ kind }) => kind !== 'Kustomization')
    .map(({ spec }) => (spec as { scaleTargetRef: { name: string } }).scaleTargetRef.name);
  expect(targets.sort()).toEqual(serviceNames.map((service: ServiceName) => `hookline-${service}`).sort());
});

test('the stores of the local overlay are those of docker-compose.yml', () => {
  const images = (text: string): string[] => [...text.matchAll(/image: (\S+)/g)].map(([, image = '']) => image);
  const composed = Object.values(
    (parse(readFileSync(join(root, 'docker-compose.yml'), 'utf8')) as { services: Record<string, { image: string }> })
      .services,
  ).map(({ image }) => image);
  const stores = ['kafka', 'postgres', 'redis', 'registry'].flatMap((store) =>
    images(readFileSync(join(k8s, `overlays/local/stores/${store}.yaml`), 'utf8')),
  );
  expect(stores).toHaveLength(4);
  expect(composed).toEqual(expect.arrayContaining(stores));
});
