/** The ceiling of what keeps webhooks in Kafka: `node keeping-server-process.ts <broker> <topic>`. Records are as large as the ingress's own. */
import { receivedWebhookHeaders } from '#lib/contract';
import { encodeHeaders, openProduceLoop } from './produce-loop.ts';
import { serve } from './serve.ts';

const [broker = '', topic = ''] = process.argv.slice(2);
const headers = receivedWebhookHeaders({
  tenant: 'default',
  sourceId: 'src_00000000000000000000000000',
  receiptId: 'rcp_00000000000000000000000000',
  receivedAt: 1_795_000_000_000_000,
  identifyBy: [{ pointer: '/id' }, { pointer: '/event_id' }, { pointer: '/message_id' }],
  typeBy: [{ pointer: '/type' }],
  dedupTtlSeconds: 259_200,
  contentType: 'application/json',
  contentEncoding: null,
  httpHeaders: {
    host: '127.0.0.1:8080',
    'content-type': 'application/json',
    'content-length': '2048',
    'hookline-signature': `t=1795000000,v1=${'0'.repeat(64)}`,
  },
  request: {
    secret: ['hookline-signature'],
    method: 'POST',
    path: '/v1/webhooks/src_00000000000000000000000000',
    address: '127.0.0.1',
    names: 'host,content-type,content-length,hookline-signature',
  },
  orderingKey: null,
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00',
  origin: null,
});
const { send } = await openProduceLoop({ broker, topic, headers: encodeHeaders(headers) });
serve(send);
