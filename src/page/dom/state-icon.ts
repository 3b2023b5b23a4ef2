import type { IconName } from '../text/states.ts';

const SVG = 'http://www.w3.org/2000/svg';

/** Told apart by form, so that colour is never the only sign. Drawn in a box of 16 by 16. */
const PATHS: Readonly<Record<IconName, string>> = {
  flow: 'M1.5 6.2c2.2-2.4 4.3-2.4 6.5 0s4.3 2.4 6.5 0M1.5 10.8c2.2-2.4 4.3-2.4 6.5 0s4.3 2.4 6.5 0',
  idle: 'M2 8h12',
  full: 'M3 13.5h10M3 10h10M3 6.5h10M3 3h10',
  low: 'M8 2.5v10M3.5 8.5 8 13l4.5-4.5',
  down: 'M3.5 3.5l9 9M12.5 3.5l-9 9',
  drain: 'M3 2.5h10L9 8.2V13l-2 1V8.2z',
  wait: 'M8 3.5V8l3 2M14 8A6 6 0 1 1 8 2a6 6 0 0 1 6 6z',
};

/** A decoration beside a word that says the same, so nothing of it is read out. */
export class StateIcon {
  readonly node: SVGSVGElement;
  readonly #path: SVGPathElement;
  #name: IconName | null = null;

  constructor() {
    this.node = document.createElementNS(SVG, 'svg');
    this.node.setAttribute('viewBox', '0 0 16 16');
    this.node.setAttribute('aria-hidden', 'true');
    this.node.setAttribute('class', 'icon');
    this.#path = document.createElementNS(SVG, 'path');
    this.node.append(this.#path);
  }

  draw(name: IconName): void {
    if (this.#name === name) return;
    this.#name = name;
    this.#path.setAttribute('d', PATHS[name]);
  }
}
