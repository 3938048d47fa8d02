// Receives webhooks: npm install @hookline/receiver ioredis
//
//   SECRET=whsec_… REDIS_URL=redis://127.0.0.1:6379 PORT=3000 node receiver.js
import { createServer } from 'node:http';
import { createReceiver, nodeListener, redisStore } from '@hookline/receiver';
import { Redis } from 'ioredis';

const { SECRET, REDIS_URL, PORT = '3000', KEY_PREFIX } = process.env;

const redis = new Redis(REDIS_URL);
redis.on('error', (error) => console.error(`redis: ${error.message}`));

const receiver = createReceiver({
  secrets: [SECRET],
  once: redisStore(redis, { leaseSeconds: 30, keyPrefix: KEY_PREFIX }),
});

// Your work. It is called once for each event that it handles without an error, and answered with 204 after it.
async function handle(webhook) {
  webhook.json();
  console.log(`handled ${webhook.id} ${webhook.type}`);
}

const server = createServer(nodeListener(receiver, handle));
server.listen(Number(PORT), '127.0.0.1', () => console.log(`listening on ${server.address().port}`));

process.once('SIGTERM', () => server.close(() => redis.quit()));
