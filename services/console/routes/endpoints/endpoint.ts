/** An endpoint of the API: the fields that pages show. */
export interface Endpoint {
  id: string;
  url: string;
  description: string;
  event_types: readonly string[];
  created_at: string;
  disabled_at: string | null;
  failing_since: string | null;
  paused_at: string | null;
}

/** What matters most of it, in one word. */
export function endpointStatus({ disabled_at, paused_at, failing_since }: Endpoint): string {
  if (disabled_at !== null) return 'disabled';
  if (paused_at !== null) return 'paused';
  return failing_since === null ? 'enabled' : 'failing';
}
