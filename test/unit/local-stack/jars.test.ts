import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { provideJars } from '#deploy/local/install/jars.ts';

/** Stands in for Maven: makes what the real one makes, or what one makes that is cut off half-way. */
const maven = (last: string) => `#!/bin/sh
for word in "$@"; do case "$word" in -Dlib=*) lib=\${word#-Dlib=} ;; esac; done
echo run >> "$0.runs"
mkdir -p "$lib/kafka" "$lib/registry" "$lib/target"
echo jar > "$lib/kafka/kafka.jar"
${last}
`;

describe('the jars of the servers', () => {
  let dir: string;
  let program: string;
  let pom: string;

  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'hookline-jars-'));
    program = join(dir, 'mvn');
    pom = join(dir, 'pom.xml');
    writeFileSync(pom, '<project/>');
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  const provide = () =>
    provideJars({
      pom,
      dir: join(dir, 'lib'),
      programs: async () => ({ java: process.execPath, maven: program }),
      say: () => undefined,
    });
  const runs = () => readFileSync(`${program}.runs`, 'utf8').trim().split('\n').length;

  it('are downloaded once', async () => {
    writeFileSync(program, maven('exit 0'), { mode: 0o755 });
    const first = await provide();
    const second = await provide();
    expect(second).toEqual(first);
    expect(readFileSync(join(first.kafka, 'kafka.jar'), 'utf8')).toBe('jar\n');
    expect(runs()).toBe(1);
  });

  it('are downloaded once by two that want them at the same time', async () => {
    writeFileSync(program, maven('sleep 0.3'), { mode: 0o755 });
    await Promise.all([provide(), provide()]);
    expect(runs()).toBe(1);
  });

  it('are downloaded again where a download broke off, and nothing of that one is left', async () => {
    writeFileSync(program, maven('echo "[ERROR] no such host" >&2; echo rest > "$lib/kafka/broken.jar"; exit 1'), {
      mode: 0o755,
    });
    await expect(provide()).rejects.toThrow('Maven failed: no such host');
    writeFileSync(program, maven('exit 0'), { mode: 0o755 });
    const { kafka } = await provide();
    expect(existsSync(join(kafka, 'kafka.jar'))).toBe(true);
    expect(existsSync(join(kafka, 'broken.jar'))).toBe(false);
  });

  it('are downloaded again, into another folder, when pom.xml names others', async () => {
    writeFileSync(program, maven('exit 0'), { mode: 0o755 });
    const before = await provide();
    writeFileSync(pom, '<project><!-- newer --></project>');
    const after = await provide();
    expect(after.kafka).not.toBe(before.kafka);
    expect(runs()).toBe(2);
  });

  it('a full disk is said in one line', async () => {
    writeFileSync(program, maven('echo "[ERROR] write: No space left on device"; exit 1'), { mode: 0o755 });
    await expect(provide()).rejects.toThrow(/^the disk is full: Maven could not finish its download$/);
  });
});
