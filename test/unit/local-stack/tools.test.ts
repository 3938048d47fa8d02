import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { find, java, postgresServer, redisServer, type Tool } from '#deploy/local/install/tools.ts';

describe('looking for the programs of the servers', () => {
  let dir: string;

  beforeEach(() => (dir = mkdtempSync(join(tmpdir(), 'hookline-tools-'))));
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  const place = (folder: string, program: string, script: string): string => {
    mkdirSync(join(dir, folder), { recursive: true });
    const path = join(dir, folder, program);
    writeFileSync(path, `#!/bin/sh\n${script}\n`);
    chmodSync(path, 0o755);
    return join(dir, folder);
  };
  const onlyOnPath = (tool: Tool): Tool => ({ ...tool, folders: [] });

  it.each([
    ['Java', java, `echo 'openjdk version "17.0.15" 2025-04-15' >&2`],
    ['Redis', redisServer, `echo 'Redis server v=7.0.15 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64 build=b1'`],
    ['Postgres', postgresServer, `echo 'postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)'`],
    ['a newer Java', java, `echo 'openjdk version "21" 2023-09-19' >&2`],
  ])('%s that is new enough is found', async (_name, tool, script) => {
    const folder = place('bin', tool.program, script);
    await expect(find(onlyOnPath(tool), [folder])).resolves.toEqual({ path: join(folder, tool.program) });
  });

  it.each([
    ['Java', java, `echo 'openjdk version "11.0.2" 2019-01-15' >&2`, '11'],
    ['a Java that counts from 1', java, `echo 'java version "1.8.0_392"' >&2`, '1'],
    ['Redis', redisServer, `echo 'Redis server v=6.0.16 sha=00000000:0'`, '6'],
    ['Postgres', postgresServer, `echo 'postgres (PostgreSQL) 13.14'`, '13'],
  ])('%s that is too old is told from one that is missing', async (_name, tool, script, version) => {
    const folder = place('bin', tool.program, script);
    await expect(find(onlyOnPath(tool), [folder])).resolves.toMatchObject({ tooOld: version });
  });

  it('one further on that is new enough is preferred to one that is too old', async () => {
    const old = place('old', 'redis-server', `echo 'Redis server v=6.0.16'`);
    const young = place('young', 'redis-server', `echo 'Redis server v=7.2.4'`);
    await expect(find(onlyOnPath(redisServer), [old, young])).resolves.toEqual({ path: join(young, 'redis-server') });
  });

  it('a program that only says where to get it is none', async () => {
    const folder = place('bin', 'java', 'echo "Unable to locate a Java Runtime." >&2; exit 1');
    await expect(find(onlyOnPath(java), [folder])).resolves.toBeUndefined();
  });

  it('nothing anywhere is missing', async () => {
    await expect(find(onlyOnPath(java), [dir])).resolves.toBeUndefined();
  });
});
