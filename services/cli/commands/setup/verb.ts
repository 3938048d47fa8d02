import { verb } from '../../verb.ts';

export const setup = verb({
  summary: 'Run migrations, create topics, register schemas; before the first start and each upgrade',
  description:
    'Prepares Postgres, Kafka and the schema registry for the services: runs pending migrations, creates missing topics, registers schemas. Safe to repeat, and needed before every upgrade.',
  run: async (_values, _given, context) => (await import('./set-up.ts')).setUp(context),
});
