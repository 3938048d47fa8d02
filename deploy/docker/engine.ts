/** The container engine, used through its own command. */
import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { childEnvironment } from '../local/config.ts';
import { errorCode, StackError } from '../local/failure.ts';

const run = promisify(execFile);
const program = 'docker';
const askTimeoutMs = 20_000;
const shownLines = 15;

/** The command's output. @throws StackError with its error output */
export async function docker(args: readonly string[], timeoutMs = askTimeoutMs): Promise<string> {
  try {
    const { stdout } = await run(program, args, { env: childEnvironment(), timeout: timeoutMs, maxBuffer: 2 ** 26 });
    return stdout;
  } catch (error) {
    throw complaintOf(args, error, timeoutMs);
  }
}

/** The same while nothing else goes on. */
export function dockerSync(args: readonly string[]): string {
  try {
    return execFileSync(program, args, {
      env: childEnvironment(),
      encoding: 'utf8',
      timeout: askTimeoutMs,
      stdio: 'pipe',
    });
  } catch (error) {
    throw complaintOf(args, error);
  }
}

/** Shows the output line by line, for commands that take long. @throws StackError if it fails */
export async function showDocker(args: readonly string[]): Promise<void> {
  const child = spawn(program, args, { env: childEnvironment(), stdio: ['ignore', 'inherit', 'inherit'] });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new StackError(`docker ${args.join(' ')} failed`);
}

/** Why containers can't be started here; undefined if they can. */
export async function engineTrouble(): Promise<string | undefined> {
  try {
    await docker(['info', '--format', '{{.ServerVersion}}']);
  } catch (error) {
    return `no Docker engine answers (${firstLine(error)})`;
  }
  try {
    await docker(['compose', 'version']);
    return undefined;
  } catch (error) {
    return `a Docker engine answers, but there is no Compose v2 (${firstLine(error)})`;
  }
}

/** The images that this machine does not have. */
export async function missingImages(images: readonly string[]): Promise<string[]> {
  const checked = await Promise.all(
    images.map((image) =>
      docker(['image', 'inspect', '--format', '{{.Id}}', image]).then(
        () => [],
        () => [image],
      ),
    ),
  );
  return checked.flat();
}

/** Checks that its registry has the image. @throws StackError if not, or if the registry doesn't answer */
export const assertObtainable = async (image: string): Promise<void> =>
  void (await docker(['manifest', 'inspect', image]));

export const firstLine = (error: unknown): string => (error as Error).message.split('\n')[0] ?? '';

function complaintOf(args: readonly string[], error: unknown, timeoutMs = askTimeoutMs): StackError {
  if (errorCode(error) === 'ENOENT') return new StackError('there is no docker command', { cause: error });
  const { stderr = '', killed = false } = error as { stderr?: string; killed?: boolean };
  const lines = stderr
    .trim()
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('WARNING'));
  const says = killed ? `it took more than ${timeoutMs / 1_000} s` : lines.slice(-shownLines).join('\n');
  return new StackError(`docker ${args[0]}: ${says || (error as Error).message}`, { cause: error });
}
