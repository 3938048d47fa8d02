import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makePostgresHome, postgresHome, removePostgresHome } from '#deploy/local/servers/postgres-home.ts';
import { asUser, postgresUser } from '#deploy/local/servers/run-as.ts';

const isRoot = process.getuid?.() === 0;

describe("where Postgres's data is", () => {
  let parent: string;
  let dir: string;
  const said: string[] = [];
  const say = (line: string): void => void said.push(line);

  beforeEach(() => {
    parent = mkdtempSync(join(tmpdir(), 'hookline-home-'));
    dir = join(parent, '.hookline');
    mkdirSync(dir);
    said.length = 0;
  });
  afterEach(() => {
    removePostgresHome(dir);
    rmSync(parent, { recursive: true, force: true });
  });

  it('is below the folder of the rest, for whoever is not root', () => {
    expect(makePostgresHome(dir, undefined, say)).toBe(join(dir, 'postgres'));
    expect(said).toEqual([]);
    expect(asUser(undefined, 'postgres', ['-D', dir])).toEqual({ command: 'postgres', args: ['-D', dir] });
  });

  (isRoot ? it : it.skip)('is there for root too, owned by another user, where that one can get there', () => {
    chmodSync(parent, 0o755);
    const user = postgresUser();
    const home = makePostgresHome(dir, user, say);
    expect(home).toBe(join(dir, 'postgres'));
    expect(statSync(home).uid).toBe(user?.uid);
    expect(user?.uid).not.toBe(0);
  });

  (isRoot ? it : it.skip)('is elsewhere where that user can not, is said to be, found again and removed', () => {
    chmodSync(parent, 0o700);
    const user = postgresUser();
    const home = makePostgresHome(dir, user, say);
    expect(home.startsWith('/var/lib/hookline/')).toBe(true);
    expect(said.join()).toContain(home);
    expect(makePostgresHome(dir, user, say)).toBe(home);
    expect(postgresHome(dir)).toBe(home);
    removePostgresHome(dir);
    expect(existsSync(home)).toBe(false);
    expect(postgresHome(dir)).toBe(join(dir, 'postgres'));
  });
});
