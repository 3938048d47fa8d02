/** The request of an event's webhook, as the API shows it. */
export type EventRequest =
  | { method: null }
  | {
      method: string;
      path: string;
      client_address: string;
      headers: readonly { name: string; value: string }[];
      truncated: boolean;
    };

/** As it would stand on the wire, below the address that it came from. */
export function requestText(request: EventRequest): string {
  if (request.method === null) return 'unknown: the event did not come by HTTP, or came before requests were kept';
  const { method, path, client_address: address, headers, truncated } = request;
  return [
    `from ${address}`,
    `${method} ${path}`,
    ...headers.map(({ name, value }) => `${name}: ${value}`),
    ...(truncated ? ['(the rest was not kept)'] : []),
  ]
    .map((line) => line.replaceAll('\n', '?'))
    .join('\n');
}
