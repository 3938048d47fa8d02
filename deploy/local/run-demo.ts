/** `make demo`: fills a tenant of the stack that runs, so that there is something to look at. */
import { runCommand, say } from './command.ts';
import { type FilledDemo, fillDemo } from './demo/fill-demo.ts';
import { StackError } from './failure.ts';
import { readKeyValueFile } from './key-value-file.ts';
import { stackFiles } from './paths.ts';
import { withLock } from './processes/lock.ts';
import { portsAt } from './stack/ports.ts';
import { keptPortOffset } from './stack/stack.ts';

export interface RunningDemo extends FilledDemo {
  apiUrl: string;
  consoleUrl: string;
  adminKey: string;
  tenant: string;
  /** The page of its event, below the console's URL. */
  path: string;
}

export async function runDemo(): Promise<RunningDemo> {
  const env = readKeyValueFile(stackFiles.localEnv);
  if (env === undefined) throw new StackError('the stack is not up: make up');
  const {
    HOOKLINE_API_URL: apiUrl = '',
    HOOKLINE_CONSOLE_URL: consoleUrl = '',
    HOOKLINE_ADMIN_KEY: adminKey = '',
    HOOKLINE_RECEIVER_HOST: host = '',
    HOOKLINE_RECEIVER_LISTEN_ON: address = '',
  } = env;
  const { demoReceiver: port } = portsAt(keptPortOffset() ?? 0);
  const tenant = 'demo';
  const receiver = { port, host, listenOn: [address] };
  const filled = await withLock(stackFiles.demoLock, 'make demo', () =>
    fillDemo({ apiUrl, adminKey, tenant, receiver, say }),
  );
  return { ...filled, apiUrl, consoleUrl, adminKey, tenant, path: `/t/${tenant}/events/${filled.eventId}` };
}

if (import.meta.main)
  await runCommand(async () => {
    const { consoleUrl, tenant, path, eventId } = await runDemo();
    const rows = [
      [`./hookline console --tenant ${tenant}`, 'opens the console, signed in; then, for the order that was replayed:'],
      [`${consoleUrl}${path}`, ''],
      [`./hookline events deliveries ${eventId} --tenant ${tenant}`, 'the same in the terminal'],
    ];
    say(
      `\nlook at it\n${rows.map(([command = '', what = '']) => `  ${command.padEnd(46)}  ${what}`.trimEnd()).join('\n')}`,
    );
  });
