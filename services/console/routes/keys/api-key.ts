/** An API key of the API. The key itself is shown once, by whoever makes it. */
export interface ApiKey {
  id: string;
  name: string;
  scopes: readonly string[];
  rate_limit: { per_second: number; burst: number } | null;
  created_at: string;
  /** Accurate to a minute. */
  last_used_at: string | null;
}
