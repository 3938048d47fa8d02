const actions = <Resource extends string, Verb extends string>(resource: Resource, ...verbs: readonly Verb[]) =>
  verbs.map((verb): `${Resource}.${Verb}` => `${resource}.${verb}`);

/** The changes that an entry may tell of. */
export const auditActions = [
  ...actions('api_key', 'create', 'delete'),
  ...actions('dead_letters', 'replay'),
  ...actions('deliveries', 'cancel', 'retry'),
  ...actions('delivery', 'cancel', 'retry'),
  ...actions('endpoint', 'create', 'delete', 'disable', 'enable', 'pause', 'probe'),
  ...actions('endpoint', 'recover', 'resume', 'rotate_secret', 'test', 'update'),
  ...actions('erasure', 'create'),
  ...actions('event', 'erase', 'replay'),
  ...actions('events', 'replay'),
  ...actions('event_type', 'create', 'import', 'merge', 'pause', 'publish', 'put', 'rename', 'resume', 'retire'),
  ...actions('event_type', 'update'),
  ...actions('portal_link', 'create', 'redeem', 'revoke'),
  ...actions('replay', 'cancel'),
  ...actions('session', 'create', 'end', 'redeem'),
  ...actions('source', 'create', 'delete', 'rotate_secret', 'update'),
  ...actions('tenant', 'delete', 'update'),
];

export type AuditAction = (typeof auditActions)[number];
