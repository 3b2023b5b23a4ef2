import { byId } from '../dom/element.ts';
import { writeAttribute, writeText } from '../dom/write.ts';

/** Holds the page still while one reads. What happens meanwhile is not lost: it is there when it goes on. */
export class Pause {
  #isPaused = false;

  constructor(changed: () => void) {
    const button = byId('pause', HTMLButtonElement);
    const name = byId('pause-name', HTMLElement);
    button.addEventListener('click', () => {
      this.#isPaused = !this.#isPaused;
      writeAttribute(button, 'data-paused', this.#isPaused ? '' : null);
      writeText(name, this.#isPaused ? 'Resume' : 'Pause');
      changed();
    });
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }
}
