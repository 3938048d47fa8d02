import type { Mutant } from './mutant.ts';

/** Mutants of operational events: ways in which one leads to the next, or is lost or invented around a crash. */
export const announcingMutants: readonly Mutant[] = [
  {
    name: 'judges the health of an endpoint by what it is told about endpoints',
    edits: [{ in: 'createDispatch', always: '!isOperationalEvent($type)' }],
    byDay: {
      test: 'test/integration/dispatcher/announcing.test.ts',
      title: 'leads to no further ones: neither its failures nor its dead letters are announced',
    },
    budgetSeconds: 240,
  },
  {
    name: 'announces dead letters of operational events',
    edits: [{ in: 'insertDeadLetters', replace: `coalesce(event_type, '') NOT IN (`, with: `'' NOT IN (` }],
    byDay: {
      test: 'test/integration/dispatcher/announcing.test.ts',
      title: 'leads to no further ones: neither its failures nor its dead letters are announced',
    },
    budgetSeconds: 240,
  },
  {
    name: 'announces an outage outside of the transaction that marks it',
    edits: [
      {
        in: 'createFailingTable',
        replace: 'change($endpoint, beginOutage, [$since, $attempts])',
        with: `change(
      $endpoint,
      'UPDATE endpoints SET outage_since = $4 WHERE tenant = $1 AND id = $2 AND revision = $3 RETURNING changed_at',
      [$since],
    ).then(async (row) => {
      await change(
        $endpoint,
        \`SELECT announce($1, 'hookline.endpoint.failing', $2, concat($3::integer, $4::text), jsonb_build_object('attempts', $5::integer))\`,
        [$since, $attempts],
      );
      return row;
    })`,
      },
    ],
    byDay: {
      test: 'test/integration/dispatcher/failing-table.test.ts',
      title: 'is in its row if and only if it is announced',
    },
    budgetSeconds: 120,
  },
  {
    name: 'publishes an announcement under a new identifier each time',
    edits: [
      {
        in: 'identifierOf',
        replace: '`${type}/${subject}/${episode}`',
        with: '`${type}/${subject}/${episode}/${Math.random()}`',
      },
    ],
    byDay: {
      test: 'test/integration/dispatcher/announcing.test.ts',
      title: 'is published once, under one id, where dispatchers die before and after it is on its topic',
    },
    budgetSeconds: 240,
  },
];
