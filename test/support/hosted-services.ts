/**
 * Services without work in one process, named by the arguments, each with its admin port after `=`. By IPC the parent makes one fail (`fail
 * NAME`) or makes its parts refuse to stop (`hold NAME`), and gets each start and stop. A service named `slow` takes a while to start; one
 * named `last` starts after the others.
 */
import { readConfig, serviceFields, serviceRelations } from '#lib/config';
import { setTimeout as delay } from 'node:timers/promises';
import { createPart } from '#lib/runtime';
import { hostServices, loadService } from '#lib/service-host';
import { registerMetrics } from '#lib/telemetry';

const failing = new Map<string, (error: Error) => void>();
const held = new Set<string>();
const report = (what: string): void => void process.send?.(what);

process.on('message', (message: string) => {
  const [what, name = ''] = message.split(' ');
  if (what === 'hold') held.add(name);
  if (what === 'fail') failing.get(name)?.(new Error(`${name} was told to fail`));
});

const fields = serviceFields(0);
const load = process.argv.slice(2).map((argument) => {
  const [name = '', port = ''] = argument.split('=');
  return () =>
    loadService({
      name,
      fields,
      loadConfig: () => readConfig(fields, { ...process.env, HOOKLINE_ADMIN_PORT: port }, [serviceRelations]),
      build(_config, { fail, metrics }) {
        failing.set(name, fail);
        const table = {
          starts: { kind: 'counter', name: 'hookline_starts_total', help: 'Starts', unit: 'starts' },
        } as const;
        const { starts } = registerMetrics(table, metrics);
        const part = (what: string) =>
          createPart(
            what,
            async () => {
              if (name === 'slow') await delay(300);
              starts.inc();
              report(`start ${name} ${what}`);
            },
            async () => {
              report(`stop ${name} ${what}`);
              if (held.has(name)) await new Promise(() => undefined);
            },
          );
        return [part('leaf'), part('intake')];
      },
    });
});
report('loaded');
await hostServices('hosted', load, { last: 'last' });
