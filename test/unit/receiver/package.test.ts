import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { generateSecret } from '#lib/signatures';
import { buildReceiver } from '../../support/build-receiver.ts';
import { signAsStandardWebhooks } from '../../support/sign-webhook.ts';

const run = promisify(execFile);
const modules = resolve('node_modules');
const inProject = join(import.meta.dirname, 'in-project');

/** As somebody gets it who installs it: packed, in a project with nothing else, without a registry. */
describe('@hookline/receiver, packed and installed', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hookline-package-'));
  const project = join(folder, 'project');
  let packed: string[];

  // Kept as .txt, since they belong to no project here.
  const addFile = (name: string): void =>
    writeFileSync(join(project, name), readFileSync(join(inProject, `${name}.txt`)));
  const npm = (args: readonly string[], cwd: string) =>
    run('npm', [...args, '--offline', '--ignore-scripts', '--cache', join(folder, 'cache')], { cwd });

  beforeAll(async () => {
    const built = join(folder, 'built');
    await buildReceiver(built);
    const { stdout } = await npm(['pack', '--json', '--pack-destination', folder], built);
    const [pack] = Object.values(JSON.parse(stdout) as Record<string, { filename: string; files: { path: string }[] }>);
    if (pack === undefined) throw new Error(stdout);
    packed = pack.files.map(({ path }) => path);
    mkdirSync(project);
    writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'project', private: true, type: 'module' }));
    await npm(['install', join(folder, pack.filename)], project);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const secret = generateSecret();
  const body = '{"total":1}';
  const sent = () =>
    JSON.stringify({
      secret,
      body,
      headers: signAsStandardWebhooks(secret, Buffer.from(body), 'evt_1', Math.floor(Date.now() / 1_000)),
    });

  it.each(['use.js', 'use.cjs'])('is loaded and verifies in %s', async (name) => {
    addFile(name);
    const { stdout } = await run(process.execPath, [name, sent()], { cwd: project });
    expect(JSON.parse(stdout)).toEqual({ status: 204, id: 'evt_1', payload: { total: 1 }, forged: 401 });
  });

  it('has types for both, which the clients and servers that it is used with fit', async () => {
    // The packages of a project that uses them.
    for (const name of ['@types', 'fastify', 'ioredis', 'pg'])
      symlinkSync(join(modules, name), join(project, 'node_modules', name));
    const names = ['types.ts', 'types.cts'];
    for (const name of names) addFile(name);
    const compilerOptions = {
      module: 'nodenext',
      target: 'es2022',
      lib: ['es2024'],
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      types: ['node'],
      exactOptionalPropertyTypes: true,
    };
    writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: names }));
    const tsc = join(modules, 'typescript/bin/tsc');
    const output = await run(process.execPath, [tsc, '-p', '.'], { cwd: project }).then(
      ({ stdout }) => stdout,
      (error: { stdout: string }) => error.stdout,
    );
    expect(output).toBe('');
  });

  it('contains its own files and those that they load, and needs no other package', () => {
    const allowed =
      /^(package\.json|README\.md|LICENSE|NOTICE|dist\/cjs\/package\.json|dist\/(esm|cjs)\/(packages\/receiver\/src\/[a-z-]+\.(js|d\.ts)|libs\/signatures\/[a-z0-9-]+\.js))$/;
    expect(packed.filter((path) => !allowed.test(path))).toEqual([]);
    expect(packed).toEqual(
      expect.arrayContaining(['README.md', 'LICENSE', 'NOTICE', 'dist/esm/libs/signatures/standard-webhooks.js']),
    );
    const lock = JSON.parse(readFileSync(join(project, 'package-lock.json'), 'utf8')) as { packages: object };
    expect(Object.keys(lock.packages).filter((name) => !/^$|receiver$/.test(name) && !name.startsWith('../'))).toEqual(
      [],
    );
  });
});
