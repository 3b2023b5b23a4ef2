/** The two formats a scraper can ask for. */
export type Format = 'text' | 'openmetrics';

const OPENMETRICS = 'application/openmetrics-text';
const TEXT_RANGES = new Set(['text/plain', 'text/*', '*/*']);

/**
 * OpenMetrics where the scraper accepts its version 1.0.0 at least as gladly as text (Prometheus does),
 * else text: for browsers and curl, and also for who accepts neither (RFC 9110 §12.5.1 allows it).
 */
export function formatOf(accept: string | undefined): Format {
  let openMetrics = 0;
  let text = 0;
  for (const item of (accept ?? '').toLowerCase().split(',')) {
    const [type = '', ...parameters] = item.split(';').map((part) => part.trim());
    const quality = qualityOf(parameters);
    if (type === OPENMETRICS && isVersionOne(parameters)) openMetrics = Math.max(openMetrics, quality);
    else if (TEXT_RANGES.has(type)) text = Math.max(text, quality);
  }
  return openMetrics > 0 && openMetrics >= text ? 'openmetrics' : 'text';
}

function qualityOf(parameters: readonly string[]): number {
  const written = parameterOf(parameters, 'q');
  const quality = written === null ? 1 : Number(written);
  return quality >= 0 && quality <= 1 ? quality : 0;
}

function isVersionOne(parameters: readonly string[]): boolean {
  const version = parameterOf(parameters, 'version');
  return version === null || version === '1.0.0';
}

function parameterOf(parameters: readonly string[], name: string): string | null {
  for (const parameter of parameters) {
    const [key, value] = parameter.split('=', 2).map((part) => part.trim());
    if (key === name) return (value ?? '').replace(/^"(.*)"$/, '$1');
  }
  return null;
}
