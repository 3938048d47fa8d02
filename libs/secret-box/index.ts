export { type SecretBox, createSecretBox, parseEncryptionKeys } from './secret-box.ts';
