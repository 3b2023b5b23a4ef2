import { byId } from '../dom/element.ts';
import { writeAttribute, writeText } from '../dom/write.ts';
import { keepTheme, keptTheme, nextTheme, type Theme } from '../state/theme.ts';

const NAMES: Readonly<Record<Theme, string>> = { auto: 'Auto', light: 'Light', dark: 'Dark' };

/** Light, dark, or as the system has it; kept on this machine. */
export class ThemeSwitch {
  #theme: Theme;

  constructor(changed: () => void) {
    this.#theme = keptTheme(() => localStorage);
    const button = byId('theme', HTMLButtonElement);
    const name = byId('theme-name', HTMLElement);
    const write = () => {
      writeAttribute(document.documentElement, 'data-theme', this.#theme === 'auto' ? null : this.#theme);
      writeText(name, NAMES[this.#theme]);
      changed();
    };
    button.addEventListener('click', () => {
      this.#theme = nextTheme(this.#theme);
      keepTheme(this.#theme, () => localStorage);
      write();
    });
    write();
  }
}
