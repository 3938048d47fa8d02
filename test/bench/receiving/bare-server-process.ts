/** The ceiling of all that receives: a server that keeps nothing. */
import { serve } from './serve.ts';

serve((_body, onDone) => onDone(true));
