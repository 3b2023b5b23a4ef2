import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { IScaledObject } from '@kubernetes-models/keda/keda.sh/v1alpha1/ScaledObject';
import type { IPrometheusRule } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/PrometheusRule';
import type { IConfigMap } from 'kubernetes-models/v1/ConfigMap';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { DASHBOARDS } from '../../scripts/dashboards/dashboards.ts';
import { dashboardFile } from '../../scripts/dashboards/write.ts';
import { monitoringFiles } from '../../scripts/kubernetes/monitoring.ts';
import { CATALOG } from '../../src/metrics/catalog.ts';
import { resourcesOf } from '../helpers/kubernetes.ts';
import { type RuleFileContent, SHIPPED_RULES } from '../helpers/shipped-rules.ts';

const FOLDER = resolve(import.meta.dirname, '../../config/kubernetes');
const text = (path: string) => readFileSync(join(FOLDER, path), 'utf8');
/** What `kubectl apply` can keep of an object beside it. */
const LARGEST_BYTES = 256 * 1_024;
const EACH_FILE = [...monitoringFiles().keys()];

describe('config/kubernetes/monitoring', () => {
  it.each(EACH_FILE)('%s is what its generator says now; npm run gen writes it', (name) => {
    expect(text(`monitoring/${name}`)).toBe(monitoringFiles().get(name));
  });

  it('applies every generated file and holds no other', () => {
    const { resources }: { resources: string[] } = parse(text('monitoring/kustomization.yaml'));
    expect([...resources].sort()).toEqual([...EACH_FILE].sort());
    const files = readdirSync(join(FOLDER, 'monitoring'));
    expect(files.filter((name) => name !== 'kustomization.yaml').sort()).toEqual([...EACH_FILE].sort());
  });

  it('has every rule of config/prometheus/rules, as it is', () => {
    const rule: IPrometheusRule = parse(text('monitoring/prometheus-rule.yaml'));
    const shipped = [...SHIPPED_RULES.values()].flatMap((file) => (parse(file) as RuleFileContent).groups);
    const byName = (groups: readonly { name: string }[]) => Object.fromEntries(groups.map((one) => [one.name, one]));
    expect(byName(rule.spec.groups ?? [])).toEqual(byName(shipped));
    expect(rule.spec.groups).toHaveLength(shipped.length);
  });

  it.each(DASHBOARDS.map(({ uid }) => uid))('has %s as it is, where Grafana looks for it', (uid) => {
    const file = text(`monitoring/dashboard-${uid}.yaml`);
    const map: IConfigMap = parse(file);
    expect(map.metadata?.labels).toMatchObject({ grafana_dashboard: '1' });
    expect(JSON.parse(map.data?.[`${uid}.json`] ?? '')).toEqual(JSON.parse(readFileSync(dashboardFile(uid), 'utf8')));
    expect(JSON.stringify(JSON.stringify(map)).length).toBeLessThan(LARGEST_BYTES);
  });
});

describe('the scaler', () => {
  const [scaled] = resourcesOf('keda') as unknown as IScaledObject[];
  const metadata = scaled?.spec?.triggers[0]?.metadata ?? {};

  it('asks for generations in flight by a name that Pitot exports, and for the engine of the sidecar', () => {
    const names = metadata['query']?.match(/pitot_\w+/g) ?? [];
    expect(names).toEqual(['pitot_requests_in_flight', 'pitot_build_info']);
    expect(CATALOG.map(({ name }) => name)).toEqual(expect.arrayContaining(names));
    // Pods of a Deployment: its name, a hash, and one more.
    const [, matcher = ''] = metadata['query']?.match(/upstream=~"([^"]+)"/) ?? [];
    const ofPod = new RegExp(`^(?:${matcher})$`);
    expect('vllm-6d5f7b9c48-x2kqp').toMatch(ofPod);
    expect('vllm-large-6d5f7b9c48-x2kqp').not.toMatch(ofPod);
    expect(resourcesOf('sidecar').map(({ kind, metadata: { name } }) => `${kind} ${name}`)).toContain(
      `Deployment ${scaled?.spec?.scaleTargetRef.name}`,
    );
  });
});
