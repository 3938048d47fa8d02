/** An endpoint and an event, as the API says it. */
export interface Match {
  endpoint_id: string;
  url: string | null;
  matched: boolean | null;
  reason: string | null;
  unjudged: string | null;
  expected: readonly string[] | null;
  clause: { path: string | null; operator: string; expected: unknown } | null;
  delivery_id: string | null;
  created_at: string;
  disabled_at: string | null;
  deleted_at: string | null;
}

export const matchColumns = ['endpoint_id', 'matched', 'why', 'delivery_id'];

export const matchRow = (match: Match) => ({
  endpoint_id: match.endpoint_id,
  matched: match.matched === null ? 'unknown' : match.matched ? 'yes' : 'no',
  why: whyOf(match) + sinceThen(match),
  delivery_id: match.delivery_id,
});

function whyOf({ reason, unjudged, expected, clause, created_at }: Match): string {
  switch (reason) {
    case null:
      return unjudged === null ? 'matched' : `its filter could not be evaluated (${unjudged})`;
    case 'test_event':
      return 'a test of one endpoint';
    case 'loop':
      return 'its webhook came back to a source that it had passed, or had passed eight others';
    case 'created_later':
      return `created at ${created_at}, which did not count yet for the event`;
    case 'disabled':
      return 'was disabled';
    case 'deleted':
      return 'was deleted';
    case 'type':
      return `other event types: ${expected?.join(', ')}`;
    case 'source':
      return `other sources: ${expected?.join(', ')}`;
    case 'payload_not_json':
      return 'has a filter, and the payload is not JSON';
    case 'filter':
      return clause === null
        ? 'refused by its filter'
        : `filter: ${clause.path === null ? '' : `${clause.path} `}${clause.operator} ${JSON.stringify(clause.expected)}`;
    case 'payload_removed':
      return 'has a filter, and the payload has been removed';
    case 'history_removed':
      return 'its settings at that time have been removed';
    default:
      return reason;
  }
}

/** Says what has happened to an endpoint that was open then. */
function sinceThen({ reason, disabled_at, deleted_at }: Match): string {
  if (deleted_at !== null && reason !== 'deleted') return `; deleted at ${deleted_at}`;
  return disabled_at !== null && reason !== 'disabled' && reason !== 'deleted' ? `; disabled at ${disabled_at}` : '';
}
