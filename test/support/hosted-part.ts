/** A service of one part, which is ready as its parent says over IPC: for the test of what `/readyz` answers. */
import { readConfig, serviceFields, serviceRelations } from '#lib/config';
import { createPart } from '#lib/runtime';
import { hostService } from '#lib/service-host';

let isReady = false;
process.on('message', (value) => {
  isReady = value === 'ready';
  process.send?.(value);
});

const fields = serviceFields(0);
await hostService({
  name: 'hosted',
  fields,
  loadConfig: () => readConfig(fields, process.env, [serviceRelations]),
  build: () => [
    createPart(
      'always ready',
      async () => undefined,
      async () => undefined,
    ),
    {
      ...createPart(
        'a consumer',
        async () => undefined,
        async () => process.disconnect(),
      ),
      isReady: () => isReady,
    },
  ],
});
