import { connect, type Socket } from 'node:net';

export interface Answer {
  status: number;
  body: string;
  /** From the last byte of the request, or from the connection's opening if that was later, to the last byte of the answer. */
  tookMs: number;
}

/** One keep-alive connection that has one request at a time under way: no more of HTTP than is needed, so that the sender costs little. */
export interface Connection {
  /** Undefined: the connection ended without an answer. It is opened again by the next request. */
  send(request: Buffer, onAnswer: (answer: Answer | undefined) => void): void;
  close(): void;
}

const answerTimeoutMs = 15_000;

export function createConnection(host: string, port: number): Connection {
  let socket: Socket | undefined;
  let sentAtMs = 0;
  let received = '';
  let pending: ((answer: Answer | undefined) => void) | undefined;

  const end = (answer: Answer | undefined): void => {
    const told = pending;
    pending = undefined;
    received = '';
    told?.(answer);
  };

  function open(): Socket {
    const opened = connect({ host, port, noDelay: true });
    opened.setTimeout(answerTimeoutMs, () => opened.destroy());
    opened.on('connect', () => (sentAtMs = performance.now()));
    opened.on('data', (chunk) => {
      received += chunk.toString('latin1');
      const answer = parseAnswer(received, sentAtMs);
      if (answer !== undefined) end(answer);
    });
    // `close` follows.
    opened.on('error', () => undefined);
    opened.on('close', () => {
      if (socket === opened) socket = undefined;
      end(undefined);
    });
    return opened;
  }

  return {
    send(request, onAnswer) {
      pending = onAnswer;
      socket ??= open();
      sentAtMs = performance.now();
      socket.write(request);
    },
    close: () => socket?.destroy(),
  };
}

function parseAnswer(text: string, sentAtMs: number): Answer | undefined {
  const headEnd = text.indexOf('\r\n\r\n');
  if (headEnd === -1) return undefined;
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(text.slice(0, headEnd + 2))?.[1] ?? 0);
  if (text.length < headEnd + 4 + length) return undefined;
  return {
    status: Number(text.slice(9, 12)),
    body: text.slice(headEnd + 4),
    tookMs: performance.now() - sentAtMs,
  };
}
