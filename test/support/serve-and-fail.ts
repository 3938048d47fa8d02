/** `hookline serve` with services that can be made to fail: each SIGUSR2 fails the next one, in the order of `--only`. */
import { hostServices } from '#lib/service-host';
import type { ServedName } from '../../services/serve/names.ts';
import { loaders } from '../../services/serve/serve.ts';

const names = (process.argv.at(-1) ?? '').split(',') as ServedName[];
const failing = new Map<string, (error: Error) => void>();
let next = 0;

process.on('SIGUSR2', () => {
  const name = names[next % names.length] ?? '';
  next += 1;
  failing.get(name)?.(new Error(`${name} was told to fail`));
});

await hostServices(
  'serve',
  loaders(names).map((load) => () => {
    const service = load();
    return {
      ...service,
      build(context) {
        failing.set(service.name, context.fail);
        return service.build(context);
      },
    };
  }),
);
