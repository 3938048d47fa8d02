/** A process's access to the brokers: addresses, TLS, credentials. */
import type { SASLOptions } from 'kafkajs';
import { type ClientTls, createClientTls } from '#lib/client-tls';
import type { KafkaConfig } from '#lib/config';
import { createTokenSource } from './oauth-token.ts';

export interface KafkaAccess {
  brokers: readonly string[];
  tls?: ClientTls | undefined;
  sasl?: SASLOptions | undefined;
}

/** As checked by `kafkaRelations`. */
type Settings = Omit<KafkaConfig, 'topicPrefix'>;

/** @throws AppError config_invalid if a file is invalid */
export function kafkaAccess(settings: Settings): KafkaAccess {
  return {
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

function saslOf(settings: Settings): SASLOptions | undefined {
  const { kafkaSaslMechanism: mechanism } = settings;
  if (mechanism === 'none') return undefined;
  if (mechanism === 'oauthbearer') return { mechanism, oauthBearerProvider: createTokenSource(settings) };
  return { mechanism, username: settings.kafkaSaslUsername, password: settings.kafkaSaslPassword };
}
