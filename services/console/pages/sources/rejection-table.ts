import { html, type Html } from '#lib/html';
import { count } from '../../parts/count.ts';
import type { Column } from '../../parts/table.ts';
import { shortId } from '../../parts/short-id.ts';
import { time } from '../../parts/time.ts';
import type { Rejection } from '../../routes/sources/source.ts';
import { rejectionWords } from './rejection-words.ts';

export const rejectionColumns: readonly Column<Rejection>[] = [
  { header: 'Rejected', cell: ({ at }) => time(at) },
  { header: 'Why', cell: ({ code }) => rejectionWords(code) },
  { header: 'From', cell: ({ client_address: address }): Html => html`<code>${address}</code>` },
  { header: 'Bytes', isNumber: true, cell: ({ body_bytes: bytes }) => (bytes === null ? '–' : count(bytes)) },
  { header: 'Id', cell: ({ id }) => shortId(id) },
];
