import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { StackError } from '../failure.ts';

const run = promisify(execFile);

/** How packages can be installed here: with `sudo` or nothing before the command; undefined if they can't. */
export async function aptAccess(): Promise<readonly string[] | undefined> {
  if (!existsSync('/usr/bin/apt-get')) return undefined;
  if (process.getuid?.() === 0) return [];
  return run('sudo', ['-n', 'true']).then(
    () => ['sudo', '-n'],
    () => undefined,
  );
}

/**
 * Installs without questions and without leaving a service running: policy-rc.d forbids to start any for as long as the install runs (it
 * asks for its process, so one that was left behind forbids nothing), and what came new is not started at the next boot either.
 */
const install = `
set -e
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
  trap 'rm -f "$policy"' EXIT
  trap 'exit 130' INT TERM HUP
  printf '#!/bin/sh\\n[ -d /proc/%s ] && exit 101\\nexit 0\\n' "$$" > "$policy"
  chmod 755 "$policy"
fi
export DEBIAN_FRONTEND=noninteractive
apt-get -q -o DPkg::Lock::Timeout=300 update
packages=
for choice in "$@"; do
  for package in $(echo "$choice" | tr '|' ' '); do
    if apt-cache show "$package" > /dev/null 2>&1; then packages="$packages $package"; break; fi
  done
done
apt-get -q -y --no-install-recommends -o DPkg::Lock::Timeout=300 install $packages
if [ -d /run/systemd/system ]; then
  for service in redis-server postgresql prometheus rabbitmq-server pgbouncer; do
    case " $packages " in *" $service "*) systemctl disable "$service" || true ;; esac
  done
  case " $packages " in *" rabbitmq-server "*) systemctl disable epmd.socket epmd.service || true ;; esac
fi
`;

/** @param choices the packages that have each wanted tool, best first */
export async function installPackages(
  access: readonly string[],
  choices: readonly (readonly string[])[],
): Promise<void> {
  const [command = 'sh', ...args] = [
    ...access,
    'sh',
    '-c',
    install,
    'install',
    ...choices.map((each) => each.join('|')),
  ];
  try {
    await run(command, args, { maxBuffer: 64 * 1024 * 1024 });
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    const output = `${stdout}\n${stderr}`;
    if (/No space left on device|not have enough free space/.test(output))
      throw new StackError('the disk is full: apt-get could not install what is missing', { cause: error });
    const said = output.split('\n').filter((line) => /^(E|dpkg): /.test(line));
    throw new StackError(`apt-get failed: ${said.join('; ') || (error as Error).message}`, { cause: error });
  }
}
