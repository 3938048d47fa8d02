import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { writeKeyValueFile } from '#deploy/local/key-value-file.ts';
import { root } from '#deploy/local/paths.ts';
import { smoke, smokeTenant } from '#deploy/local/smoke/smoke.ts';
import { freePorts } from '#deploy/local/stack/free-ports.ts';
import { nativeReceiver } from '#deploy/local/stack/stack.ts';
import { withCompileCache } from '../support/compile-cache.ts';
import { type Block, missingLines, readBlocks } from '../support/readme-blocks.ts';
import { type OwnPipeline, startOwnPipeline } from './own-pipeline.ts';

const blocksOf = (page: string): Block[] => readBlocks(readFileSync(join(root, page), 'utf8'));
const isMake = ({ commands }: { commands: string }): boolean => commands.startsWith('make ');

const readme = blocksOf('README.md');
const quickstart = blocksOf('docs/quickstart.md');

/** README and quickstart, block by block, in a folder that looks like the checkout after `make up`. */
describe('the README', () => {
  let pipeline: OwnPipeline;
  let dir: string;

  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'hookline-readme-'));
    pipeline = await startOwnPipeline();
    const { apiUrl, adminKey, ingressUrl } = pipeline.stack;
    mkdirSync(join(dir, '.hookline'));
    symlinkSync(join(root, 'hookline'), join(dir, 'hookline'));
    writeKeyValueFile(join(dir, '.hookline/local.env'), {
      HOOKLINE_API_URL: apiUrl,
      HOOKLINE_ADMIN_KEY: adminKey,
      HOOKLINE_INGRESS_URL: ingressUrl,
      HOOKLINE_RECEIVER_HOST: '127.0.0.1',
      HOOKLINE_RECEIVER_LISTEN_ON: '127.0.0.1',
    });
  });
  afterAll(async () => {
    await pipeline?.close();
    rmSync(dir, { recursive: true, force: true });
  });

  /**
   * As pasted into one shell, block after block: all lines run, and what fails in one shows in what is printed.
   *
   * @returns what each block has printed
   */
  async function paste(commands: readonly string[]): Promise<string[]> {
    const mark = 'the next block';
    // The standard error of a block belongs to its output, too.
    const child = spawn('bash', ['-c', `exec 2>&1\n${commands.join(`\necho '${mark}'\n`)}`], {
      cwd: dir,
      env: { PATH: process.env.PATH ?? '', ...withCompileCache },
      stdio: ['ignore', 'pipe', 'inherit'],
      signal: AbortSignal.timeout(180_000),
    });
    child.once('error', () => undefined);
    return (await text(child.stdout)).split(`${mark}\n`);
  }

  it('promises two commands of make, of which the quickstart needs the first', () => {
    expect(readme.map(({ commands }) => commands)).toEqual(['make up', 'make test']);
    expect(quickstart.filter(isMake).map(({ commands }) => commands)).toEqual(['make up']);
  });

  it('shows the webhook of `make up` as `make up` does', () =>
    pipeline.explain(async () => {
      const { stack } = pipeline;
      const [receiverPort = 0] = await freePorts(1);
      const said = ['one signed webhook through it:'];
      await smoke({
        apiUrl: stack.apiUrl,
        adminKey: stack.adminKey,
        kafkaPort: Number(stack.kafkaBrokers[0]?.split(':').at(-1)),
        topicPrefix: stack.topicPrefix,
        receiverPort,
        stateFile: join(dir, 'smoke.json'),
        processes: { pid: (name) => pipeline.processIds()[name] ?? process.pid, lastLogLines: () => [] },
        receiver: nativeReceiver,
        timeoutMs: 60_000,
        say: (line) => said.push(line),
      });
      const { promised = [] } = readme.find(({ commands }) => commands === 'make up') ?? {};
      expect(promised.length).toBeGreaterThan(5);
      // The last line is of `make up` alone.
      expect(missingLines({ promised: promised.slice(0, -1) }, said.join('\n'))).toEqual([]);
      // `make up` names the command that lists this event.
      const [eventId] = /evt_\w+/.exec(said.join('\n')) ?? ['no event'];
      const listing = `set -a; . .hookline/local.env; ./hookline events list --tenant ${smokeTenant}`;
      expect(await paste([listing])).toEqual([expect.stringContaining(eventId)]);
    }));

  it('leads to a quickstart that prints what it promises, block by block', () =>
    pipeline.explain(async () => {
      const [port = 0] = await freePorts(1);
      const pasted = quickstart.filter((block) => !isMake(block));
      expect(pasted.length).toBeGreaterThan(2);
      const outputs = await paste(pasted.map(({ commands }) => commands.replaceAll('3000', String(port))));
      const missing = pasted.map(({ promised }, index) => missingLines({ promised }, outputs[index] ?? ''));
      expect({ missing, outputs }).toEqual({ missing: pasted.map(() => []), outputs });
      expect(pasted.filter(({ promised }) => promised.length === 0)).toEqual([]);
      // The event arrives once, and its signature is verified.
      expect(outputs[0]?.match(/POST \/webhooks/g)).toHaveLength(1);
      expect(outputs[0]).not.toMatch(/no secret given|not verified:/);
    }));
});
