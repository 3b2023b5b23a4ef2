import { existsSync, writeFileSync } from 'node:fs';
import { CORPUS_ROOT } from './accuracy-corpus.ts';
import { generateDashboards } from './dashboards/write.ts';
import { ACCURACY_DOC, accuracyDoc } from './gen-accuracy.ts';
import { generateConfigDoc } from './gen-config-doc.ts';
import { generateKubernetes } from './gen-kubernetes.ts';
import { generateMetricsDoc } from './gen-metrics-doc.ts';
import { generatePerformanceDoc } from './gen-performance.ts';
import { generateRules } from './gen-rules.ts';
import { generateSchema } from './gen-schema.ts';

// `npm run gen`: everything that is generated from code. Contract tests compare.
generateSchema();
generateMetricsDoc();
generateConfigDoc();
generateDashboards();
generatePerformanceDoc();
generateRules();
// Of rules and dashboards, so behind them.
generateKubernetes();
if (existsSync(CORPUS_ROOT)) writeFileSync(ACCURACY_DOC, await accuracyDoc());
else process.stderr.write(`NO CORPUS at ${CORPUS_ROOT}: docs/ACCURACY.md stays as it is\n`);
