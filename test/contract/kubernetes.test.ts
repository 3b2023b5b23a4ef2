import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join, resolve } from 'node:path';
import type { IServiceMonitor } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/ServiceMonitor';
import type { IDeployment } from 'kubernetes-models/apps/v1/Deployment';
import type { IPodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import type { IConfigMap } from 'kubernetes-models/v1/ConfigMap';
import type { IService } from 'kubernetes-models/v1/Service';
import { beforeAll, describe, expect, it } from 'vitest';
import { loadText } from '../../src/config/load.ts';
import { NO_FLAGS } from '../../src/config/overrides.ts';
import type { Config } from '../../src/config/schema.ts';
import { imageEnvironment, portOf } from '../helpers/image.ts';
import { built, faultOf, hasKustomize, type Resource, resourcesOf } from '../helpers/kubernetes.ts';
import { until } from '../helpers/until.ts';

const FOLDER = resolve(import.meta.dirname, '../../config/kubernetes');
const POD_NAME = 'vllm-6d5f7b9c48-x2kqp';
const OVERLAYS = readdirSync(FOLDER, { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? [entry.name] : [],
);

if (!hasKustomize) process.stderr.write('SKIPPED: no kubectl with Kustomize 5 here; config/kubernetes is not built\n');

describe('config/kubernetes', () => {
  it('has the shapes that its README names', () => {
    const readme = readFileSync(join(FOLDER, 'README.md'), 'utf8');
    expect(OVERLAYS).toEqual(['deployment', 'keda', 'monitoring', 'sidecar']);
    for (const overlay of OVERLAYS) expect(readme).toContain(`(${overlay}/kustomization.yaml)`);
  });

  it.each(OVERLAYS)('%s holds what the typed models accept', (overlay) => {
    expect(resourcesOf(overlay).map(faultOf)).toEqual(resourcesOf(overlay).map(() => null));
  });

  it('is refused where it is wrong: the models do look', () => {
    const [deployment] = resourcesOf('deployment');
    const spec = { replicas: '2' };
    expect(faultOf({ ...deployment, spec } as Resource)).toContain('replicas must be integer');
    expect(faultOf({ ...deployment, kind: 'Deploymnt' } as Resource)).toContain('no model');
  });
});

describe.skipIf(!hasKustomize).each(OVERLAYS)('%s, as kubectl builds it', (overlay) => {
  it('is whole: every patch has found its target, and the models accept all of it', () => {
    const all = built(overlay);
    expect(all.length).toBeGreaterThan(0);
    expect(all.map(faultOf)).toEqual(all.map(() => null));
  });
});

describe.skipIf(!hasKustomize).each(['sidecar', 'deployment'])('%s', (overlay) => {
  let all: Resource[];
  let deployment: IDeployment;
  let services: IService[];
  let config: Config;
  beforeAll(() => {
    all = built(overlay);
    deployment = one<IDeployment>('Deployment');
    services = every<IService>('Service');
    const [text = ''] = Object.values(one<IConfigMap>('ConfigMap').data ?? {});
    // As in its container: the image's own environment, and the token from the Secret.
    const env = { ...imageEnvironment, PITOT_ADMIN_TOKEN: 'a-token-of-some-length', POD_NAME };
    const loaded = loadText('pitot.yaml', text, { flags: NO_FLAGS, env });
    if (loaded.kind === 'faulty') throw new Error(JSON.stringify(loaded.faults));
    config = loaded.config;
  });
  /** The parsed objects of a kind; the models, above, have accepted them as such. */
  const every = <Kind>(kind: string) => all.filter((resource) => resource.kind === kind) as unknown as Kind[];
  function one<Kind>(kind: string): Kind {
    const [found, more] = every<Kind>(kind);
    if (found === undefined || more !== undefined) throw new Error(`expected one ${kind}`);
    return found;
  }
  const pod = () => {
    const { spec, metadata } = deployment.spec?.template ?? {};
    if (spec === undefined) throw new Error('no pod');
    return { ...spec, labels: metadata?.labels ?? {} };
  };
  const pitot = () => {
    const found = pod().containers.find(({ name }) => name === 'pitot');
    if (found === undefined) throw new Error('no container of Pitot');
    return found;
  };
  const portNamed = (name: unknown) =>
    pod()
      .containers.flatMap(({ ports = [] }) => ports)
      .find((port) => port.name === name)?.containerPort;

  it('runs a pinned image, with its configuration where it looks for it and folders where it writes', () => {
    expect(pitot().image).toMatch(/\/pitot:\d+\.\d+\.\d+$/);
    const mounts = pitot().volumeMounts ?? [];
    const volume = (path: string) => pod().volumes?.find(({ name }) => name === mounts.find(under(path))?.name);
    const under =
      (path: string) =>
      ({ mountPath }: { mountPath: string }) =>
        path.startsWith(`${mountPath}/`);
    expect(volume(variable('PITOT_CONFIG'))?.configMap?.name).toBe(one<IConfigMap>('ConfigMap').metadata?.name);
    expect(volume(config.state.path ?? '')?.emptyDir).toBeDefined();
  });

  it('has the ports of the image, and probes on the admin port', () => {
    expect(String(portNamed('pitot'))).toBe(portOf(imageEnvironment['PITOT_LISTEN']));
    expect(String(portNamed('admin'))).toBe(portOf(imageEnvironment['PITOT_ADMIN']));
    expect(pitot().readinessProbe?.httpGet).toEqual({ path: '/readyz', port: 'admin' });
    expect(pitot().livenessProbe?.httpGet).toEqual({ path: '/healthz', port: 'admin' });
  });

  it('has a grace that holds shutdown_delay and shutdown_grace', () => {
    const needMs = config.shutdown_delay + config.shutdown_grace;
    expect(config.shutdown_delay).toBeGreaterThan(0);
    expect((pod().terminationGracePeriodSeconds ?? 0) * 1_000).toBeGreaterThan(needMs);
  });

  it('has no password of its own: the token is the one of a Secret, for Pitot and for Prometheus alike', () => {
    const secret = pitot().env?.find(({ name }) => name === 'PITOT_ADMIN_TOKEN')?.valueFrom?.secretKeyRef;
    const [endpoint] = one<IServiceMonitor>('ServiceMonitor').spec.endpoints;
    expect(secret).toEqual({ name: 'pitot-admin', key: 'token' });
    expect(endpoint?.authorization?.credentials).toEqual(secret);
    expect(all.map(({ kind }) => kind)).not.toContain('Secret');
  });

  it('may do no more than it needs, and asks for what it needs', () => {
    expect(pitot().securityContext).toMatchObject({
      runAsNonRoot: true,
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(pitot().resources).toMatchObject({
      requests: { cpu: expect.anything(), memory: expect.anything() },
      limits: { memory: '1Gi' },
    });
    expect(config.limits.body_buffer_total).toBeLessThanOrEqual(2 ** 29);
  });

  it('sends clients to Pitot and Prometheus to the admin port of every pod, draining ones included', () => {
    const [clients, admin] = services.map(({ spec }) => spec);
    expect(clients?.ports).toMatchObject([{ port: 8_000, targetPort: 'pitot' }]);
    expect(admin).toMatchObject({ clusterIP: 'None', publishNotReadyAddresses: true });
    expect(admin?.ports).toMatchObject([{ name: 'admin', targetPort: 'admin' }]);
    for (const selector of [clients?.selector, admin?.selector]) expect(pod().labels).toMatchObject(selector ?? {});
  });

  it('is scraped as the job that the rules know, by the one Service that has the port', () => {
    const { selector, endpoints, jobLabel = '' } = one<IServiceMonitor>('ServiceMonitor').spec;
    const chosen = services.filter(({ metadata }) => isWithin(selector.matchLabels, metadata?.labels));
    expect(chosen.map(({ metadata }) => metadata?.labels?.[jobLabel])).toEqual(['pitot']);
    expect(chosen[0]?.spec?.ports?.map(({ name }) => name)).toEqual(endpoints.map(({ port }) => port));
  });

  it('loses one pod at a time', () => {
    const { spec } = one<IPodDisruptionBudget>('PodDisruptionBudget');
    expect(spec?.maxUnavailable).toBe(1);
    expect(spec?.selector?.matchLabels).toEqual(deployment.spec?.selector.matchLabels);
    expect(pod().labels).toMatchObject(deployment.spec?.selector.matchLabels ?? {});
  });

  function variable(wanted: string): string {
    return pitot().env?.find(({ name }) => name === wanted)?.value ?? '';
  }
});

describe.skipIf(!hasKustomize)('the sidecar', () => {
  const [deployment] = hasKustomize
    ? (built('sidecar').filter(({ kind }) => kind === 'Deployment') as unknown as IDeployment[])
    : [];
  const containers = deployment?.spec?.template.spec?.containers ?? [];

  const preStop = containers.find(({ name }) => name === 'vllm')?.lifecycle?.preStop?.exec?.command ?? [];

  it('keeps the engine until its last stream has ended', async () => {
    expect(preStop.at(-1)).toContain(`http://127.0.0.1:${portOf(imageEnvironment['PITOT_ADMIN'])}/readyz`);
    expect(deployment?.spec?.template.spec?.initContainers).toBeUndefined();
    await using draining = await probed(503);
    const ended = waitedFor(draining.port);
    // Asked twice, it has waited once.
    await until(() => draining.asked() >= 2);
    await draining[Symbol.asyncDispose]();
    expect(await ended).toBe(0);
  });

  it('does not keep an engine that is ended alone: its own probe failed, and Pitot is as ready as before', async () => {
    await using ready = await probed(200);
    expect(await waitedFor(ready.port)).toBe(0);
    expect(ready.asked()).toBe(1);
  });

  /** The engine's preStop, without the seconds in which the signal reaches Pitot; its exit code. */
  async function waitedFor(port: number): Promise<number | null> {
    const [shell = '', flag = '', script = ''] = preStop;
    const here = script.replace(/^sleep 5; /, '').replace(/127\.0\.0\.1:\d+/, `127.0.0.1:${port}`);
    const [code] = await once(spawn(shell, [flag, here], { stdio: 'ignore' }), 'exit');
    return code;
  }

  it('has an upstream for each pod: two engines are not taken for one', () => {
    const environment = containers.find(({ name }) => name === 'pitot')?.env ?? [];
    const ofPod = environment.find(({ name }) => name === 'POD_NAME')?.valueFrom?.fieldRef?.fieldPath;
    expect(ofPod).toBe('metadata.name');
    expect(readFileSync(join(FOLDER, 'sidecar/pitot.yaml'), 'utf8')).toContain('- name: ${' + 'POD_NAME}\n');
  });

  it('is configured for the engine of its own pod, wherever that listens', () => {
    const port = containers.find(({ name }) => name === 'vllm')?.ports?.[0]?.containerPort;
    expect(readFileSync(join(FOLDER, 'sidecar/pitot.yaml'), 'utf8')).toContain(`url: http://127.0.0.1:${port}\n`);
  });
});

/** An admin port whose `/readyz` has this status. */
async function probed(status: number) {
  let asked = 0;
  const server = createServer((_request, response) => {
    asked += 1;
    response.writeHead(status, { connection: 'close' }).end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const stop = async () => {
    if (server.listening) await once(server.close(), 'close');
  };
  return { port, asked: () => asked, [Symbol.asyncDispose]: stop };
}

function isWithin(some: Readonly<Record<string, string>> = {}, all: Readonly<Record<string, string>> = {}): boolean {
  return Object.entries(some).every(([name, value]) => all[name] === value);
}
