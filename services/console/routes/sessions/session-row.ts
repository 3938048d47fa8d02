/** A session of `GET /v1/sessions`. */
export interface SessionRow {
  id: string;
  /** `*`: all. */
  tenant: string;
  /** `admin`: the operator's. */
  key_id: string;
  scopes: readonly string[];
  /** False: its code is still to be redeemed. */
  redeemed: boolean;
  created_at: string;
  expires_at: string;
  idle_expires_at: string;
}
