import type { KeyValueStore } from './kept.ts';

/** `auto` follows the system. */
export const THEMES = ['auto', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const KEY = 'pitot.theme';

/** What was chosen on this machine; the system's own where nothing was, or where storage is forbidden. */
export function keptTheme(store: () => Pick<KeyValueStore, 'getItem'>): Theme {
  try {
    const kept = store().getItem(KEY);
    return THEMES.find((theme) => theme === kept) ?? 'auto';
  } catch {
    return 'auto';
  }
}

export function keepTheme(theme: Theme, store: () => Pick<KeyValueStore, 'setItem' | 'removeItem'>): void {
  try {
    if (theme === 'auto') store().removeItem(KEY);
    else store().setItem(KEY, theme);
  } catch {
    // It then holds until the page is left.
  }
}

export function nextTheme(theme: Theme): Theme {
  return THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'auto';
}
