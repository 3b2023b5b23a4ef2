import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { monitoringFiles } from './kubernetes/monitoring.ts';

const MONITORING_FOLDER = fileURLToPath(new URL('../config/kubernetes/monitoring/', import.meta.url));

/** Writes what in config/kubernetes/monitoring is generated, from rules and dashboards as they are on disk by now. */
export function generateKubernetes(): void {
  for (const [name, text] of monitoringFiles()) writeFileSync(`${MONITORING_FOLDER}${name}`, text);
}

if (import.meta.filename === process.argv[1]) generateKubernetes();
