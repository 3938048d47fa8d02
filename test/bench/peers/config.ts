/** The peers' programs: nothing here builds them. */
export interface PeerPrograms {
  /** The folder of `outpost` and `outpost-server`. */
  outpostFolder: string | undefined;
  svixServer: string | undefined;
}

export const outpostVariable = 'OUTPOST_BINARIES';
export const svixVariable = 'SVIX_SERVER_BINARY';

export const readPeerPrograms = (env = process.env): PeerPrograms => ({
  outpostFolder: env[outpostVariable] || undefined,
  svixServer: env[svixVariable] || undefined,
});
