/** `GET /v1/system`: what the processes tell of themselves. */
export interface SystemState {
  processes: readonly Process[];
  stages: readonly Stage[];
  dependencies: readonly { name: string; up: boolean; down_for: readonly string[] }[];
}

export interface Process {
  service: string;
  instance: string;
  host: string;
  pid: number;
  version: string;
  started_at: string;
  beat_at: string;
  status: 'ready' | 'not_ready' | 'silent';
  /** Null: it is silent. */
  dependencies: Readonly<Record<string, boolean>> | null;
}

export interface Stage {
  service: string;
  group: string;
  topic: string;
  /** Null, as the others: no process that reports has any of the partitions. */
  partitions: number | null;
  records: number | null;
  /** Age of the oldest record that is not finished. */
  seconds: number | null;
}
