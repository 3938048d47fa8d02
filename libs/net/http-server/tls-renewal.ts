import { type Clock, inRounds, type Logger, type Part, toAppError } from '#lib/runtime';
import { certificateEndsAtMs, readTlsFiles, type TlsFiles, type TlsMaterial } from './tls-files.ts';

const everyMs = 60_000;

interface Options {
  server: { setSecureContext(material: TlsMaterial): void };
  files: TlsFiles;
  /** The material that the server was created with. */
  initial: TlsMaterial;
  /** @param endsAtMs when the certificate ends that new connections get from now on */
  onInUse?(endsAtMs: number): void;
  clock: Clock;
  log: Logger;
}

/**
 * Uses renewed files without a restart: new connections get them within a minute, open connections keep the old ones. Missing files, or
 * files that don't match (in the middle of a renewal), leave the old ones in use.
 */
export function createTlsRenewal({ server, files, initial, onInUse = () => undefined, clock, log }: Options): Part {
  let inUse = initial;

  const renew = async (): Promise<void> => {
    try {
      const found = readTlsFiles(files);
      if (found.cert === inUse.cert && found.key === inUse.key && found.ca === inUse.ca) return;
      server.setSecureContext(found);
      inUse = found;
      onInUse(certificateEndsAtMs(found));
      log.info({ event: 'tls.renewed' });
    } catch (error) {
      log.error({ event: 'tls.not_renewed', err: toAppError(error) });
    }
  };
  const rounds = inRounds(renew, { name: 'TLS renewal', everyMs, waitsFirst: true, clock, log });
  return {
    ...rounds,
    start() {
      onInUse(certificateEndsAtMs(initial));
      return rounds.start();
    },
  };
}
