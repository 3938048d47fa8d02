import { readFileSync } from 'node:fs';
import { type ConnectionOptions, createSecureContext } from 'node:tls';
import { AppError } from '#lib/runtime';

export interface ClientTls {
  /** Options of a new connection. Renewed files are read again: processes need no restart for them. */
  options(): ConnectionOptions;
}

/** Paths of PEM files; empty: none. */
interface TlsFiles {
  caFile: string;
  certFile?: string;
  keyFile?: string;
}

/** @throws AppError config_invalid if a file is invalid */
export function createClientTls(files: TlsFiles): ClientTls {
  let inUse = readTls(files);
  return {
    options() {
      try {
        inUse = readTls(files);
      } catch {
        // A renewal is in progress: the old files are valid a while longer.
      }
      return inUse;
    },
  };
}

/** @throws AppError config_invalid, never with a file's content */
function readTls({ caFile, certFile = '', keyFile = '' }: TlsFiles): ConnectionOptions {
  const read = (file: string): string => {
    try {
      return readFileSync(file, 'utf8');
    } catch (error) {
      throw new AppError('config_invalid', `${file} can’t be read: ${(error as Error).message}`, { cause: error });
    }
  };
  const options: ConnectionOptions = { minVersion: 'TLSv1.2' };
  if (caFile !== '') options.ca = read(caFile);
  if (certFile !== '') options.cert = read(certFile);
  if (keyFile !== '') options.key = read(keyFile);
  // OpenSSL accepts a file without certificates as an empty list of CAs: then no server would be trusted.
  if (options.ca !== undefined && !options.ca.includes('-----BEGIN CERTIFICATE-----'))
    throw new AppError('config_invalid', `${caFile} has no certificate`);
  try {
    createSecureContext(options);
  } catch (error) {
    const given = [caFile, certFile, keyFile].filter((file) => file !== '').join(', ');
    throw new AppError('config_invalid', `${given} cannot be used for TLS: ${(error as Error).message}`, {
      cause: error,
    });
  }
  return options;
}
