import type { Site } from '../site.ts';
import type { Contestant } from './contestant.ts';
import { direct } from './direct.ts';
import { haproxy } from './haproxy.ts';
import { httpProxy } from './http-proxy.ts';
import { nginx } from './nginx.ts';
import { otherBuild, pitot, pitotOff, pitotsOnOtherNodes } from './pitot.ts';
import { portkey } from './portkey.ts';

/** Measured for comparison only: no goal needs them, so that a quick run leaves them out. */
const RIVALS: readonly Contestant[] = [haproxy, httpProxy, portkey];

/** Who takes part, in a site as it is, unless a case leaves one out by name. */
export function field(site: Site, without: readonly string[] = []): Contestant[] {
  const everyone = [direct, nginx, ...(site.isQuick ? [] : RIVALS), pitot, pitotOff, ...pitotsOnOtherNodes(site)];
  return [...everyone, ...otherBuild(site)].filter(
    ({ name }) => !without.includes(name) && (site.only === null || site.only.includes(name)),
  );
}
