import { StackError } from '../failure.ts';
import { stackFiles } from '../paths.ts';
import { withLock } from '../processes/lock.ts';
import { aptAccess, installPackages } from './debian-packages.ts';
import { find, type Tool } from './tools.ts';

/**
 * Finds the tools, and installs missing ones if that is possible without asking.
 *
 * @returns the program of each
 * @throws StackError with the command to run if it is not possible
 */
export async function provideTools<Name extends string>(
  tools: Readonly<Record<Name, Tool>>,
  say: (line: string) => void,
): Promise<Record<Name, string>> {
  const wanted = Object.values<Tool>(tools);
  if ((await missingOf(wanted)).length > 0) {
    await withLock(stackFiles.installLock, 'installing packages', () => installMissing(wanted, say));
  }
  const programs = await Promise.all(
    Object.entries<Tool>(tools).map(async ([name, tool]) => [name, (await find(tool))?.path] as const),
  );
  return Object.fromEntries(programs) as Record<Name, string>;
}

/** Looks again first: another process may have installed it meanwhile. */
async function installMissing(wanted: readonly Tool[], say: (line: string) => void): Promise<void> {
  const missing = await missingOf(wanted);
  if (missing.length === 0) return;
  const access = await aptAccess();
  if (access === undefined) throw new StackError(`${describe(missing)}; to install: ${installCommand(missing)}`);
  say(`${describe(missing)}: installing Debian packages`);
  await installPackages(
    access,
    missing.map(({ tool }) => tool.debian),
  );
  const still = await missingOf(wanted);
  if (still.length > 0) throw new StackError(`${describe(still)}, and this system's packages have no newer one`);
}

type Missing = { tool: Tool; tooOld?: string };

async function missingOf(tools: readonly Tool[]): Promise<Missing[]> {
  const found = await Promise.all(tools.map(async (tool) => ({ tool, found: await find(tool) })));
  return found.flatMap(({ tool, found: each }): Missing[] => {
    if (each === undefined) return [{ tool }];
    return 'tooOld' in each ? [{ tool, tooOld: each.tooOld }] : [];
  });
}

function describe(missing: readonly Missing[]): string {
  return missing
    .map(({ tool, tooOld }) => {
      const wanted = tool.atLeast === undefined ? tool.name : `${tool.name} ${tool.atLeast} or later`;
      return tooOld === undefined ? `${wanted} is missing` : `${wanted} is missing (found ${tooOld})`;
    })
    .join('; ');
}

function installCommand(missing: readonly Missing[]): string {
  return process.platform === 'darwin'
    ? `brew install ${missing.map(({ tool }) => tool.brew).join(' ')}`
    : `sudo apt-get install -y ${missing.map(({ tool }) => tool.debian[0]).join(' ')}`;
}
