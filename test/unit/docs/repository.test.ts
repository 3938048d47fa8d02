import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { root } from '#deploy/local/paths.ts';

const read = (file: string): string => readFileSync(join(root, file), 'utf8');

interface Form {
  name: string;
  description: string;
  body: { type: string; id?: string; attributes: { label?: string; value?: string } }[];
}

const forms = globSync('.github/ISSUE_TEMPLATE/*.yml', { cwd: root }).filter((file) => !file.endsWith('/config.yml'));

test.each(forms)('%s asks, each question once', (file) => {
  const { name, description, body } = parse(read(file)) as Form;
  expect([name, description]).not.toContain(undefined);
  const questions = body.filter(({ type }) => type !== 'markdown');
  expect(questions.length).toBeGreaterThan(0);
  expect(questions.filter(({ id, attributes }) => id === undefined || attributes.label === undefined)).toEqual([]);
  expect(new Set(questions.map(({ id }) => id)).size).toBe(questions.length);
});

test('there are forms for issues', () => expect(forms.length).toBeGreaterThan(1));

test('the workflow runs the parts of `make test`, with no more rights than it needs', () => {
  const { jobs, permissions } = parse(read('.github/workflows/ci.yml')) as {
    permissions: object;
    jobs: { test: { strategy: { matrix: { part: string[] } }; steps: { run?: string }[] } };
  };
  expect(permissions).toEqual({ contents: 'read' });
  const { strategy, steps } = jobs.test;
  expect(steps.flatMap(({ run }) => run ?? [])).toEqual(['make ${{ matrix.part }}']);
  const targets = read('Makefile');
  expect(strategy.matrix.part.filter((part) => !targets.includes(`\n${part}: setup`) && part !== 'checks')).toEqual([]);
  expect(read('.ci/run')).toContain('make test');
});

test('Renovate names packages that there are, and leaves alone what is pinned for a reason', () => {
  const { packageRules } = JSON.parse(read('renovate.json')) as {
    packageRules: { matchPackageNames: string[]; enabled?: boolean }[];
  };
  const known = read('package.json') + read('docker-compose.yml') + read('deploy/local/install/pom.xml');
  const names = packageRules.flatMap(({ matchPackageNames }) => matchPackageNames);
  const unknown = names.filter((name) => !known.includes(name.replace(/:\*\*$/, '')));
  expect(unknown).toEqual([]);
  expect(packageRules.find(({ matchPackageNames }) => matchPackageNames.includes('kafkajs'))?.enabled).toBe(false);
});

const packages = ['package.json', ...globSync('packages/*/package.json', { cwd: root })];
const manifests = packages.map((file) => JSON.parse(read(file)) as { license: string; version: string });
const lock = JSON.parse(read('package-lock.json')) as {
  packages: Record<string, { license: string; version: string }>;
};

test('the licence is the unchanged text of Apache-2.0, and everything that has a licence names it', () => {
  // https://www.apache.org/licenses/LICENSE-2.0.txt
  expect(createHash('sha256').update(read('LICENSE')).digest('hex')).toBe(
    'cfc7749b96f63bd31c3c42b5c471bf756814053e847c10f3eb003417bc523d30',
  );
  expect(read('NOTICE')).toBe('Hookline\nCopyright 2026 The Hookline authors\n');
  expect(manifests.length).toBeGreaterThan(1);
  for (const manifest of [...manifests, lock.packages['']]) expect(manifest?.license).toBe('Apache-2.0');
  expect(read('deploy/docker/Dockerfile')).toContain('\nLABEL org.opencontainers.image.licenses=Apache-2.0\n');
  const contributing = read('CONTRIBUTING.md').split('\n## ')[0];
  for (const named of ['Apache-2.0', '(LICENSE)', 'https://developercertificate.org'])
    expect(contributing).toContain(named);
});

test('everything has the version that the changelog says was released last', () => {
  const [, released] = /\n## \[Unreleased\]\n[^]*?\n## \[(\S+)\] - \d{4}-\d\d-\d\d\n/.exec(read('CHANGELOG.md')) ?? [];
  expect(released).toBeDefined();
  for (const manifest of [...manifests, lock.packages['']]) expect(manifest?.version).toBe(released);
  expect(read('deploy/k8s/overlays/production/kustomization.yaml')).toContain(`\n    newTag: ${released}\n`);
  expect(read('packages/receiver/README.md')).toContain(`-${released}.tgz`);
});
