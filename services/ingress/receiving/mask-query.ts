import { isSensitiveHeader, secretMask } from '#lib/contract';

/** A URL without the values of parameters that may be secrets by their names, such as a verify token: Kafka keeps what it is given. */
export function maskQuery(url: string): string {
  const at = url.indexOf('?');
  if (at === -1) return url;
  const query = url
    .slice(at)
    .replace(/([^?&;=]*)=([^&;]*)/g, (parameter, name: string) =>
      isSensitiveHeader(decoded(name)) ? `${name}=${secretMask}` : parameter,
    );
  return url.slice(0, at) + query;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
