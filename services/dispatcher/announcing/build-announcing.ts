import type { Topics } from '#lib/contract';
import type { Postgres } from '#lib/postgres';
import { inRounds } from '#lib/runtime';
import type { ServiceContext } from '#lib/service-host';
import type { Publish } from '../publishing/publish.ts';
import { createAnnouncementTable } from './announcement-table.ts';
import { createPublishAnnouncements } from './publish-announcements.ts';

interface Deps {
  context: Pick<ServiceContext, 'clock' | 'log' | 'crashPoints'>;
  postgres: Postgres;
  publish: Publish;
  topics: Topics;
}

/** Publishes announcements, whoever has written them. */
export function buildAnnouncing({ context, postgres, publish, topics }: Deps) {
  const { clock, log, crashPoints } = context;
  const table = createAnnouncementTable(postgres);
  return inRounds(createPublishAnnouncements({ table, publish, topics, clock, crashPoints, log }), {
    name: 'announcements',
    everyMs: 2_000,
    clock,
    log,
  });
}
