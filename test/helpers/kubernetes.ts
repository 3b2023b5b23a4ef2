import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ScaledObject } from '@kubernetes-models/keda/keda.sh/v1alpha1/ScaledObject';
import { PrometheusRule } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/PrometheusRule';
import { ServiceMonitor } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/ServiceMonitor';
import { Deployment } from 'kubernetes-models/apps/v1/Deployment';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import { ConfigMap } from 'kubernetes-models/v1/ConfigMap';
import { Service } from 'kubernetes-models/v1/Service';
import { parse, parseAllDocuments } from 'yaml';
import { outputOf } from './debian-program.ts';

const ROOT = fileURLToPath(new URL('../../config/kubernetes/', import.meta.url));

/** Older ones bring a Kustomize of another format. Without it the suites that build overlays say so and are skipped. */
export const hasKustomize = /Kustomize Version: v[5-9]/.test(outputOf('kubectl', ['version', '--client']).output);

/** An object of Kubernetes, of any kind. */
export interface Resource {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
}

/** The typed models of the kinds that are shipped. */
const MODELS: Readonly<Record<string, new (data?: never) => { validate(): void }>> = {
  'apps/v1 Deployment': Deployment,
  'v1 Service': Service,
  'v1 ConfigMap': ConfigMap,
  'policy/v1 PodDisruptionBudget': PodDisruptionBudget,
  'monitoring.coreos.com/v1 ServiceMonitor': ServiceMonitor,
  'monitoring.coreos.com/v1 PrometheusRule': PrometheusRule,
  'keda.sh/v1alpha1 ScaledObject': ScaledObject,
};

/** What the model of its kind has against an object; null where it accepts it. */
export function faultOf(resource: Resource): string | null {
  const Model = MODELS[`${resource.apiVersion} ${resource.kind}`];
  if (Model === undefined) return `there is no model of ${resource.apiVersion} ${resource.kind}`;
  try {
    // Parsed YAML: whether it is what the constructor takes is the question.
    new Model(resource as never).validate();
    return null;
  } catch (error) {
    return String(error);
  }
}

/** The whole objects of an overlay as they stand in its files, before patches. */
export function resourcesOf(overlay: string): Resource[] {
  const { resources }: { resources: string[] } = parse(readFileSync(`${ROOT}${overlay}/kustomization.yaml`, 'utf8'));
  return resources.flatMap((file) => documents(readFileSync(`${ROOT}${overlay}/${file}`, 'utf8')));
}

/** What `kubectl apply -k` would send. */
export function built(overlay: string): Resource[] {
  const { code, output } = outputOf('kubectl', ['kustomize', `${ROOT}${overlay}`]);
  if (code !== 0) throw new Error(output);
  return documents(output);
}

function documents(text: string): Resource[] {
  return parseAllDocuments(text).map((document) => document.toJS());
}
