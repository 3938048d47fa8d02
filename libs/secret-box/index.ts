export { type EncryptionKey, type SecretBox, createSecretBox, parseEncryptionKeys } from './secret-box.ts';
