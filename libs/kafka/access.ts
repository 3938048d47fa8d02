/** A process's access to the brokers: addresses, TLS, credentials. */
import { readFileSync } from 'node:fs';
import { type ConnectionOptions, createSecureContext } from 'node:tls';
import type { SASLOptions } from 'kafkajs';
import { AppError } from '#lib/errors';

export interface KafkaAccess {
  brokers: readonly string[];
  tls?: KafkaTls | undefined;
  sasl?: SASLOptions | undefined;
}

export interface KafkaTls {
  /** Options of a new connection. Renewed files are read again: processes need no restart for them. */
  options(): ConnectionOptions;
}

/** As read by `kafkaFields` of libs/config and checked by `kafkaRelations`. */
interface Settings {
  kafkaBrokers: readonly string[];
  kafkaTls: boolean;
  kafkaTlsCaFile: string;
  kafkaTlsCertFile: string;
  kafkaTlsKeyFile: string;
  kafkaSaslMechanism: 'none' | 'plain' | 'scram-sha-256' | 'scram-sha-512';
  kafkaSaslUsername: string;
  kafkaSaslPassword: string;
}

/** @throws AppError config_invalid if a file is invalid */
export function kafkaAccess(settings: Settings): KafkaAccess {
  const { kafkaBrokers: brokers, kafkaSaslMechanism: mechanism } = settings;
  return {
    brokers,
    tls: settings.kafkaTls ? createTls(settings) : undefined,
    sasl:
      mechanism === 'none'
        ? undefined
        : { mechanism, username: settings.kafkaSaslUsername, password: settings.kafkaSaslPassword },
  };
}

function createTls(settings: Settings): KafkaTls {
  let inUse = readTls(settings);
  return {
    options() {
      try {
        inUse = readTls(settings);
      } catch {
        // A renewal is in progress: the old files are valid a while longer.
      }
      return inUse;
    },
  };
}

/** @throws AppError config_invalid, never with a file's content */
function readTls({ kafkaTlsCaFile, kafkaTlsCertFile, kafkaTlsKeyFile }: Settings): ConnectionOptions {
  const read = (file: string): string => {
    try {
      return readFileSync(file, 'utf8');
    } catch (error) {
      throw new AppError('config_invalid', `${file} can’t be read: ${(error as Error).message}`, { cause: error });
    }
  };
  const options: ConnectionOptions = { minVersion: 'TLSv1.2' };
  if (kafkaTlsCaFile !== '') options.ca = read(kafkaTlsCaFile);
  if (kafkaTlsCertFile !== '') options.cert = read(kafkaTlsCertFile);
  if (kafkaTlsKeyFile !== '') options.key = read(kafkaTlsKeyFile);
  // OpenSSL accepts a file without certificates as an empty list of CAs: then no broker would be trusted.
  if (options.ca !== undefined && !options.ca.includes('-----BEGIN CERTIFICATE-----'))
    throw new AppError('config_invalid', `${kafkaTlsCaFile} has no certificate`);
  try {
    createSecureContext(options);
  } catch (error) {
    const files = [kafkaTlsCaFile, kafkaTlsCertFile, kafkaTlsKeyFile].filter((file) => file !== '').join(', ');
    throw new AppError('config_invalid', `${files} make no TLS client: ${(error as Error).message}`, { cause: error });
  }
  return options;
}
