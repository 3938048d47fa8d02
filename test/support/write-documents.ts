import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generatedManifests } from '#deploy/k8s/generated.ts';
import { dashboardJson, dashboards } from '#deploy/grafana/source/index.ts';
import { withPeersSentence } from '../bench/document/peers-sentence.ts';
import { writeSpeedPage } from '../bench/document/write.ts';
import { peersName } from '../bench/peers/report.ts';
import { recordedReports } from '../bench/support/kept-reports.ts';
import { writeSoakPage } from '../bench/soak/recorded.ts';
import { writeEvidencePage } from '../evidence/page.ts';
import { writeFaultsPage } from '../faults/document/write.ts';
import { keptNights, nightlyDocument, recordedNightFile } from '../lanes/nightly-report.ts';
import { alertsByReason, filesByReason } from './alerts-by-reason.ts';
import { serviceTable, settingsByService, tracingTable, wholeEnvExample } from './documents.ts';
import { errorsDocument } from './errors-document.ts';
import { metricsDocument } from './metrics-document.ts';
import { scopesDocument } from './scopes-document.ts';
import { tenancyDocument } from './tenancy-document.ts';

const root = join(import.meta.dirname, '../..');

writeFileSync(join(root, '.env.example'), wholeEnvExample());
writeFileSync(join(root, 'docs/errors.md'), errorsDocument());
writeFileSync(join(root, 'docs/metrics.md'), metricsDocument());
const tenancyPage = join(root, 'docs/tenancy.md');
const apiPage = join(root, 'services/api/README.md');
writeFileSync(apiPage, scopesDocument(readFileSync(apiPage, 'utf8')));
writeFileSync(tenancyPage, tenancyDocument(readFileSync(tenancyPage, 'utf8')));
writeFileSync(join(root, 'docs/nightly.md'), nightlyDocument(keptNights(recordedNightFile)));
await writeFaultsPage(join(root, 'docs'));
await writeSpeedPage(join(root, 'docs'));
const readme = join(root, 'README.md');
for (const report of recordedReports([peersName]))
  writeFileSync(readme, withPeersSentence(readFileSync(readme, 'utf8'), report));
writeSoakPage(join(root, 'docs'));
writeEvidencePage(join(root, 'docs'));
for (const dashboard of dashboards)
  writeFileSync(join(root, 'deploy/grafana/dashboards', `${dashboard.name}.json`), dashboardJson(dashboard));
for (const file of filesByReason) {
  const rules = join(root, 'deploy/prometheus/rules', file);
  writeFileSync(rules, alertsByReason(file, readFileSync(rules, 'utf8')));
}
// After the rules, of which it has a copy.
for (const [file, text] of Object.entries(generatedManifests())) writeFileSync(join(root, 'deploy', file), text);

const table = /^\| variable \| default \| .*\|\n\|---\|---\|---\|\n(?:\|.*\n)*/m;
const replaceTable = (path: string, rows: string): void => {
  const file = join(root, path);
  const text = readFileSync(file, 'utf8');
  if (!table.test(text)) throw new Error(`${file} has no table of settings to replace`);
  writeFileSync(
    file,
    text.replace(table, () => `${rows}\n`),
  );
};
for (const [service, fields] of Object.entries(settingsByService))
  replaceTable(join('services', service, 'README.md'), serviceTable(fields));
replaceTable('docs/tracing.md', tracingTable());
