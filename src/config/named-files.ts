import type { Finding } from './check.ts';
import { readText } from './file-text.ts';
import type { Config } from './schema.ts';

/**
 * Files that the configuration names and that cannot be read here. Only who is going to run it must
 * have them: a fault for `serve`, a warning where a configuration is checked on another machine.
 */
export function findUnreadableFiles({ upstreams }: Config): Finding[] {
  return upstreams.flatMap(({ tls }, index) => {
    const problem = tls.ca === null ? null : problemOfCertificates(tls.ca);
    return problem === null ? [] : [{ paths: [`upstreams[${index}].tls.ca`] as const, message: problem }];
  });
}

function problemOfCertificates(file: string): string | null {
  const read = readText(file);
  if (read.kind === 'unreadable') return `${file}: ${read.message}`;
  return read.text.includes('-----BEGIN CERTIFICATE-----') ? null : `${file}: expected PEM certificates, got none`;
}
