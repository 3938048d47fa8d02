import { tenantOption } from '../../api-calls/api-verb.ts';
import { verb } from '../../verb.ts';

export const statusVerb = verb({
  summary: 'Show whether all is well: services, consumer lag, failing endpoints',
  description:
    'Shows each service with its processes, the consumer lag of each stage, dependencies that do not answer, and the endpoints all of whose attempts fail. Exit code 1 if a service or a dependency is down. A key of one tenant sees its endpoints alone.',
  options: tenantOption('endpoints'),
  run: async (values, _given, context) => (await import('./show-status.ts')).showStatus(values, context),
});
