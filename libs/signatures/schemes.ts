import { sourceDefaults, type SourceScheme, type SourceSettings } from '#lib/contract';
import { adyen } from './adyen.ts';
import { github } from './github.ts';
import { hmac } from './hmac.ts';
import { hookline, stripe } from './hookline.ts';
import { paddle } from './paddle.ts';
import type { SchemeProblem, SchemeSettings, SchemeSource, SignatureScheme } from './scheme.ts';
import { isUsableSecret } from './secret.ts';
import { shopify } from './shopify.ts';
import { slack } from './slack.ts';
import { square } from './square.ts';
import { standardWebhooks } from './standard-webhooks.ts';
import { twilio } from './twilio.ts';

/** Every scheme that a source may have, by its name. */
export const signatureSchemes: Readonly<Record<SourceScheme, SignatureScheme>> = {
  hookline,
  stripe,
  'standard-webhooks': standardWebhooks,
  github,
  shopify,
  slack,
  square,
  paddle,
  twilio,
  adyen,
  hmac,
};

/** The reasons why a source of this scheme could not verify anything; empty if it is ready. */
export function schemeProblems(name: SourceScheme, source: SchemeSource): SchemeProblem[] {
  const problems = [...(signatureSchemes[name].problemsOf?.(source) ?? [])];
  if (!isUsableSecret(source.secret) && !problems.some(({ field }) => field === '/secret')) {
    problems.push({ field: '/secret', message: 'must not be blank after its prefix' });
  }
  if (name !== 'hmac' && source.settings.hmac !== undefined) {
    problems.push({ field: '/hmac', message: 'is only for the scheme hmac' });
  }
  return problems;
}

/** A source's settings as its scheme reads them, the defaults filled in. */
export function schemeSettings(name: SourceScheme, settings: SourceSettings): SchemeSettings {
  const { hmac: hmacSettings, signature_header: ownHeader, public_url: publicUrl } = settings;
  return {
    signatureHeader: (hmacSettings?.header ?? ownHeader ?? signatureSchemes[name].signatureHeader).toLowerCase(),
    toleranceSeconds: settings.timestamp_tolerance_seconds ?? sourceDefaults.timestamp_tolerance_seconds,
    publicUrl,
    hmac: hmacSettings,
  };
}
