import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vite';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** What is bundled, and so handed on: its licence goes along. */
const BUNDLED = ['uplot', 'eventsource-parser'];

/** The live page: src/page → dist/page. Addresses are relative, so that it may be served behind a prefix. */
export default defineConfig({
  root: here('src/page'),
  base: './',
  publicDir: false,
  logLevel: 'warn',
  plugins: [themeBeforePaint(), licences()],
  build: {
    outDir: here('dist/page'),
    emptyOutDir: true,
    target: 'es2022',
    // The page's own policy forbids what is inlined, and one file needs no preloading.
    assetsInlineLimit: 0,
    modulePreload: false,
    reportCompressedSize: false,
  },
});

/** The script chooses the theme: a page that is painted before would flash. */
function themeBeforePaint(): Plugin {
  return {
    name: 'theme-before-paint',
    transformIndexHtml: {
      order: 'post',
      handler: (html) => html.replace('<script type="module"', '<script type="module" blocking="render"'),
    },
  };
}

function licences(): Plugin {
  return {
    name: 'licences',
    generateBundle() {
      const texts = BUNDLED.map((name) => `${name}\n\n${readFileSync(here(`node_modules/${name}/LICENSE`), 'utf8')}`);
      this.emitFile({ type: 'asset', fileName: 'licences.txt', source: texts.join('\n----\n\n') });
    },
  };
}
