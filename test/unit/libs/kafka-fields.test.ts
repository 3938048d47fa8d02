import { type KafkaConfig, kafkaFields, kafkaRelations, readConfig } from '#lib/config';
import { loadSetupConfig } from '../../../services/cli/config.ts';
import { loadConfig as api } from '../../../services/api/config.ts';
import { loadConfig as dedup } from '../../../services/dedup/config.ts';
import { loadConfig as dispatcher } from '../../../services/dispatcher/config.ts';
import { loadConfig as ingress } from '../../../services/ingress/config.ts';
import { loadConfig as projector } from '../../../services/projector/config.ts';

const none: KafkaConfig = readConfig(kafkaFields, {});

test('by default nothing contradicts anything', () => {
  expect(kafkaRelations(none)).toEqual([]);
});

test.each<[given: Partial<KafkaConfig>, says: RegExp]>([
  [{ kafkaTlsCaFile: 'ca.pem' }, /HOOKLINE_KAFKA_TLS=true$/],
  [
    { kafkaTls: true, kafkaTlsCertFile: 'cert.pem' },
    /_CERT_FILE and HOOKLINE_KAFKA_TLS_KEY_FILE must be set together$/,
  ],
  [{ kafkaSaslUsername: 'hookline' }, /need HOOKLINE_KAFKA_SASL_MECHANISM$/],
  [{ kafkaSaslMechanism: 'plain', kafkaSaslUsername: 'hookline' }, /needs .*_PASSWORD$/],
  [{ kafkaSaslMechanism: 'oauthbearer' }, /needs one of .*_TOKEN_FILE and .*_TOKEN_URL$/],
  [
    { kafkaSaslMechanism: 'oauthbearer', kafkaOauthTokenFile: 'token', kafkaOauthTokenUrl: 'https://sso/token' },
    /needs one of .*\n.*_TOKEN_URL needs .*_CLIENT_ID and .*_CLIENT_SECRET$/,
  ],
  [
    { kafkaSaslMechanism: 'oauthbearer', kafkaOauthTokenFile: 't', kafkaSaslUsername: 'a' },
    /have no effect with .*=oauthbearer$/,
  ],
  [
    { kafkaSaslMechanism: 'oauthbearer', kafkaOauthTokenFile: 't', kafkaOauthScope: 'a' },
    /need HOOKLINE_KAFKA_OAUTH_TOKEN_URL$/,
  ],
  [{ kafkaOauthClientSecret: 'a' }, /need HOOKLINE_KAFKA_SASL_MECHANISM=oauthbearer$/],
  [{ kafkaTlsKeyFile: 'key.pem', kafkaSaslPassword: 'a' }, /TLS=true\n.*must be set together\n.*MECHANISM$/],
])('%j is refused, in words for each', (given, says) => {
  expect(kafkaRelations({ ...none, ...given }).join('\n')).toMatch(says);
});

describe('a process that is told who it is, and not how to say so', () => {
  const before = { ...process.env };
  afterEach(() => void (process.env = { ...before }));
  const setup = () => loadSetupConfig({ env: process.env, localEnvFile: 'none' });

  test.each(Object.entries({ ingress, dedup, dispatcher, projector, api, setup }))('does not start: %s', (_, load) => {
    process.env = {
      HOOKLINE_KAFKA_SASL_USERNAME: 'hookline',
      HOOKLINE_DATABASE_URL: 'postgres://localhost/x',
      HOOKLINE_SCHEMA_REGISTRY_URL: 'http://localhost:8085',
      HOOKLINE_ENCRYPTION_KEYS: `a:${Buffer.alloc(32).toString('base64')}`,
      HOOKLINE_ADMIN_KEY: 'admin-key-of-thirty-two-characters',
      HOOKLINE_INGRESS_URL: 'https://in.example',
      HOOKLINE_API_URL: 'https://api.example',
    };
    expect(load).toThrow('HOOKLINE_KAFKA_SASL_USERNAME and _PASSWORD need HOOKLINE_KAFKA_SASL_MECHANISM');
  });
});
