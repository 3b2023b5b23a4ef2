import { element } from '../dom/element.ts';
import type { Ink } from './chart-specs.ts';

export type PaletteColour = Ink | 'ink' | 'muted' | 'grid' | 'surface' | 'target';

/** The colours of the style sheet, for what is drawn on a canvas. Read once for each theme. */
export class Palette {
  readonly #known = new Map<string, string>();
  readonly #listeners: (() => void)[] = [];

  readonly #probe = element('span', { attributes: { hidden: '' } });

  constructor() {
    document.body.append(this.#probe);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.forget());
  }

  colour(name: PaletteColour): string {
    return this.#read(`--${name}`);
  }

  /** The same, as a shade behind lines. */
  shade(name: Ink): string {
    return this.#read(`--${name}-shade`);
  }

  /** To draw anew, after the theme has changed. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  forget(): void {
    this.#known.clear();
    for (const listener of this.#listeners) listener();
  }

  #read(property: string): string {
    const known = this.#known.get(property);
    if (known !== undefined) return known;
    // As a colour of an element, for a custom property would come back as it is written: light-dark(…).
    this.#probe.style.color = `var(${property})`;
    const value = getComputedStyle(this.#probe).color;
    this.#known.set(property, value);
    return value;
  }
}

export const CHART_FONT = '11px system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans Condensed", sans-serif';
