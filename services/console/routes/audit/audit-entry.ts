/** An entry of `GET /v1/audit`. */
export interface AuditEntry {
  id: string;
  at: string;
  actor: {
    type: 'key' | 'session' | 'operator';
    id: string;
    /** For a session, the key that it was made from. */
    key_id: string;
  };
  action: string;
  resource_id: string;
  /** The fields that changed. Null for a creation. */
  before: Readonly<Record<string, unknown>> | null;
  /** Null for a deletion. */
  after: Readonly<Record<string, unknown>> | null;
  request_id: string;
}

/** As the API names them. */
export const auditActions = [
  ...['api_key.create', 'api_key.delete'],
  'dead_letters.replay',
  ...['deliveries.cancel', 'deliveries.retry', 'delivery.cancel', 'delivery.retry'],
  ...['endpoint.create', 'endpoint.delete', 'endpoint.disable', 'endpoint.enable', 'endpoint.pause'],
  ...['endpoint.probe', 'endpoint.recover', 'endpoint.resume', 'endpoint.rotate_secret', 'endpoint.test'],
  'endpoint.update',
  ...['erasure.create', 'event.erase', 'event.replay', 'events.replay'],
  ...['event_type.create', 'event_type.import', 'event_type.merge', 'event_type.pause', 'event_type.publish'],
  ...['event_type.put', 'event_type.rename', 'event_type.resume', 'event_type.retire', 'event_type.update'],
  ...['portal_link.create', 'portal_link.redeem', 'portal_link.revoke', 'replay.cancel'],
  ...['session.create', 'session.end', 'session.redeem'],
  ...['source.create', 'source.delete', 'source.rotate_secret', 'source.update'],
  ...['tenant.delete', 'tenant.update'],
];
