import type { IncomingMessage } from 'node:http';

/** Whether the client has disconnected before the end of its body: nobody reads the answer, and nothing of ours is wrong. */
export const hasClientLeft = ({ complete, destroyed }: IncomingMessage): boolean => destroyed && !complete;
