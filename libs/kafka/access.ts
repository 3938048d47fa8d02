/** A process's access to the brokers: addresses, TLS, credentials. */
import { createHash } from 'node:crypto';
import type { SASLOptions } from 'kafkajs';
import { type KafkaConfig, kafkaFields } from '#lib/config';
import { type ClientTls, createClientTls } from '#lib/net';
import { createTokenSource } from './oauth-token.ts';

export interface KafkaAccess {
  /** Equal for equal settings: whoever has the same may use the same connections. Default: nobody else has it. */
  identity?: string;
  brokers: readonly string[];
  tls?: ClientTls | undefined;
  sasl?: SASLOptions | undefined;
}

/** As checked by `kafkaRelations`. */
type Settings = Omit<KafkaConfig, 'topicPrefix'>;

/** @throws AppError config_invalid if a file is invalid */
export function kafkaAccess(settings: Settings): KafkaAccess {
  return {
    identity: identityOf(settings),
    brokers: settings.kafkaBrokers,
    tls: settings.kafkaTls
      ? createClientTls({
          caFile: settings.kafkaTlsCaFile,
          certFile: settings.kafkaTlsCertFile,
          keyFile: settings.kafkaTlsKeyFile,
        })
      : undefined,
    sasl: saslOf(settings),
  };
}

/** A hash, for there are secrets among the settings. */
function identityOf(settings: Settings): string {
  const names = Object.keys(kafkaFields).filter((name) => name !== 'topicPrefix') as (keyof Settings)[];
  return createHash('sha256')
    .update(JSON.stringify(names.map((name) => settings[name])))
    .digest('hex');
}

function saslOf(settings: Settings): SASLOptions | undefined {
  const { kafkaSaslMechanism: mechanism } = settings;
  if (mechanism === 'none') return undefined;
  if (mechanism === 'oauthbearer') return { mechanism, oauthBearerProvider: createTokenSource(settings) };
  return { mechanism, username: settings.kafkaSaslUsername, password: settings.kafkaSaslPassword };
}
