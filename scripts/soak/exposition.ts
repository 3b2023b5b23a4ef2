/** One line of Prometheus text. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** The samples of an exposition, comments left out. */
export class Exposition {
  readonly bytes: number;
  readonly #samples: readonly Sample[];

  constructor(text: string) {
    this.bytes = Buffer.byteLength(text);
    this.#samples = text
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map(sampleOf);
  }

  /** All samples of one metric whose labels are these. */
  of(name: string, having: Readonly<Record<string, string>> = {}): Sample[] {
    const wanted = Object.entries(having);
    return this.#samples.filter(
      (sample) => sample.name === name && wanted.every(([key, value]) => sample.labels[key] === value),
    );
  }

  sum(name: string, having: Readonly<Record<string, string>> = {}): number {
    return this.of(name, having).reduce((sum, { value }) => sum + value, 0);
  }

  /** Sums by the values of these labels, joined by a slash; what is 0 is left out. */
  sumBy(name: string, labels: readonly string[]): Map<string, number> {
    const sums = new Map<string, number>();
    for (const sample of this.of(name)) {
      if (sample.value === 0) continue;
      const key = labels.map((label) => sample.labels[label] ?? '').join('/');
      sums.set(key, (sums.get(key) ?? 0) + sample.value);
    }
    return sums;
  }
}

function sampleOf(line: string): Sample {
  const space = line.lastIndexOf(' ');
  const brace = line.indexOf('{');
  const end = brace < 0 ? space : brace;
  const labels = Object.fromEntries(
    [...line.slice(end, space).matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key = '', value = '']) => [key, value]),
  );
  return { name: line.slice(0, end), labels, value: Number(line.slice(space + 1)) };
}
