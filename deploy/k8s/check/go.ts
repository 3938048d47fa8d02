import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { childEnvironment } from '../../local/config.ts';
import { StackError } from '../../local/failure.ts';
import { find, type Tool } from '../../local/install/tools.ts';

const run = promisify(execFile);

/** Not installed if missing: Debian 12 has one that is too old. */
const goTool: Tool = {
  name: 'Go',
  program: 'go',
  versionArgs: ['version'],
  folders: ['/usr/local/go/bin', '/opt/homebrew/bin'],
  debian: ['golang-go'],
  brew: 'go',
};
const least = { major: 1, minor: 24 };

export interface GoModule {
  path: string;
  version: string;
  /** The checksum that `go mod download -json` shows: the download must be what was reviewed. */
  sum: string;
}

export interface Go {
  program: string;
  /** @returns the folder that the module was unpacked into, which may not be written to */
  download(module: GoModule): Promise<string>;
  /** Compiles the program in a folder of the module, `.` for its root. */
  install(module: GoModule, folder: string, bin: string): Promise<void>;
}

/** @throws StackError where Go is missing or too old */
export async function provideGo(): Promise<Go> {
  const found = await find(goTool);
  const version = found === undefined ? '' : (await run(found.path, ['env', 'GOVERSION'])).stdout.trim();
  const [major = 0, minor = 0] = version.replace(/^go/, '').split('.').map(Number);
  if (found === undefined || major < least.major || (major === least.major && minor < least.minor)) {
    const has = version === '' ? '' : ` (found ${version})`;
    throw new StackError(`Go ${least.major}.${least.minor} or later is missing${has}; to install: https://go.dev/dl`);
  }

  const program = found.path;

  async function go(args: readonly string[], given: Readonly<Record<string, string>> = {}): Promise<string> {
    try {
      // No workspace and no flags of the user's own: the same on every machine.
      const env = childEnvironment({ GOWORK: 'off', GOFLAGS: '', ...given });
      const { stdout } = await run(program, args, { env, maxBuffer: 64 * 1024 * 1024 });
      return stdout;
    } catch (error) {
      const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
      throw new StackError(`go ${args.join(' ')} failed: ${`${stderr}${stdout}`.trim()}`, { cause: error });
    }
  }

  async function download({ path, version: wanted, sum }: GoModule): Promise<string> {
    const answer = JSON.parse(await go(['mod', 'download', '-json', `${path}@${wanted}`])) as {
      Dir: string;
      Sum: string;
    };
    if (answer.Sum !== sum) throw new StackError(`${path}@${wanted} has the checksum ${answer.Sum}, not ${sum}`);
    return answer.Dir;
  }

  return {
    program,
    download,
    async install(module, folder, bin) {
      await download(module);
      const name = folder === '.' ? module.path : `${module.path}/${folder}`;
      await go(['install', `${name}@${module.version}`], { GOBIN: bin });
    },
  };
}
