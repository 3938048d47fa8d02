import { deleteSource } from './delete.ts';
import { editSource } from './edit.ts';
import { newSource } from './new.ts';
import { rejection } from './rejection.ts';
import { rejections } from './rejections.ts';
import { rotateSource } from './rotate.ts';
import { sampleWebhook } from './sample.ts';
import { source } from './show.ts';
import { sources } from './sources.ts';
import { verifyWebhook } from './verify.ts';

/** `T/sources`, and what is below it. */
export const sourcePages = [
  sources,
  newSource,
  source,
  editSource,
  rotateSource,
  deleteSource,
  rejections,
  rejection,
  sampleWebhook,
  verifyWebhook,
];
