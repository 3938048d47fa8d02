/** The scripts that every page loads. */
import './copy-button.ts';
import './local-times.ts';
import './shortcuts.ts';
