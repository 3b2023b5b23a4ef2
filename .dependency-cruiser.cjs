/**
 * Which room may import which (docs/DESIGN.md, "Import directions"). A room may always import itself,
 * and `clock.ts` and `errors.ts`; the list names the other rooms.
 */
const ROOMS = {
  wire: [],
  meter: ['wire'],
  ledger: ['wire', 'meter'],
  metrics: ['wire', 'meter', 'ledger', 'tokens', 'identity', 'config'],
  live: ['wire', 'meter', 'ledger', 'cost', 'tokens', 'identity', 'config'],
  cost: ['meter', 'ledger', 'config'],
  curve: ['meter', 'ledger', 'live', 'config'],
  plan: ['live', 'cost', 'curve'],
  'usage-log': ['wire', 'meter', 'ledger'],
  'usage-report': ['meter'],
  gateway: ['wire', 'meter', 'ledger', 'metrics', 'live', 'usage-log', 'tokens', 'identity', 'config'],
  tokens: [],
  identity: [],
  config: [],
  demo: ['config', 'live'],
  page: ['live', 'curve', 'plan'],
  workers: ['wire', 'meter', 'ledger', 'metrics', 'gateway', 'tokens', 'config'],
};

/** Files beside the rooms that a room may use: a worker is put together of the same pieces as the one process. */
const ROOT_FILES = { tokens: ['v8-flags'], workers: ['sinks', 'local-counting', 'settings', 'log', 'v8-flags'] };

/** Packages and Node modules that only the named places may know, so that each can be replaced in one place. */
const KEPT_TO = [
  ['prom-client', ['src/metrics/'], 'node_modules/prom-client/'],
  ['pino', ['src/log\\.ts$'], 'node_modules/pino/'],
  ['js-tiktoken', ['src/tokens/'], 'node_modules/js-tiktoken/'],
  ['typebox', ['src/config/'], 'node_modules/typebox/'],
  ['yaml', ['src/config/'], 'node_modules/yaml/'],
  ['uplot', ['src/page/(charts|curve)/'], 'node_modules/uplot/'],
  ['fastify', ['src/gateway/', 'src/demo/', 'src/errors\\.ts$'], 'node_modules/(fastify|@fastify)/'],
  ['undici', ['src/gateway/', 'src/demo/'], 'node_modules/undici/'],
  // config/addresses.ts asks `isIP` of node:net and opens nothing.
  [
    'sockets',
    ['src/gateway/', 'src/demo/', 'src/workers/', 'src/config/addresses\\.ts$'],
    '^(node:)?(http|https|http2|net|tls|dgram)$',
  ],
];

const directions = Object.entries(ROOMS).map(([room, others]) => ({
  name: `room-${room}`,
  comment: `${room} may import ${['itself', 'clock', 'errors', ...others].join(', ')}`,
  severity: 'error',
  from: { path: `^src/${room}/` },
  to: {
    path: '^src/',
    pathNot: `^src/((${[room, ...others].join('|')})/|(${['clock', 'errors', ...(ROOT_FILES[room] ?? [])].join('|')})\\.ts$)`,
  },
}));

const kept = KEPT_TO.map(([name, places, target]) => ({
  name: `only-there-${name}`,
  comment: `${name} is known to ${places.join(', ')} only`,
  severity: 'error',
  from: { path: '^src/', pathNot: places.map((place) => `^${place}`) },
  to: { path: target },
}));

module.exports = {
  forbidden: [
    ...directions,
    ...kept,
    {
      name: 'pure-rooms',
      comment: 'wire, meter and ledger are pure: no Node module, no package; the clock is handed in',
      severity: 'error',
      from: { path: '^src/(wire|meter|ledger)/' },
      to: { pathNot: '^src/' },
    },
    {
      name: 'page-in-browser',
      comment: 'the page knows the shape of what it is told, and runs nothing of the gateway',
      severity: 'error',
      from: { path: '^src/page/' },
      to: { path: '^src/', pathNot: '^src/page/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'page-without-node',
      comment: 'a browser has no Node modules',
      severity: 'error',
      from: { path: '^src/page/' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'page-apart',
      comment: 'the page is bundled by itself: the gateway serves its files and imports none',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/page/' },
      to: { path: '^src/page/' },
    },
    {
      name: 'app-above-rooms',
      comment:
        'app puts the rooms together, and commands run it: no room knows them (for workers, room-workers says it)',
      severity: 'error',
      from: { path: '^src/[^/]+/', pathNot: '^src/(commands|workers)/' },
      to: { path: '^src/((main|run|cli|cli-help|app|log|build-info)\\.ts$|commands/)' },
    },
    {
      name: 'commands-below-main',
      comment: 'only run knows the commands, and nothing runs main',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/((main|run)\\.ts$|commands/)' },
      to: { path: '^src/((main|run)\\.ts$|commands/)' },
    },
    {
      name: 'no-cycles',
      comment: 'types count too: two files that need each other are one idea or three',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-orphans',
      comment: 'a file that nothing imports and that imports nothing is dead',
      severity: 'error',
      from: { orphan: true, path: '^src/', pathNot: ['^src/main\\.ts$', '\\.d\\.ts$'] },
      to: {},
    },
    {
      name: 'no-dev-packages',
      comment: 'the product runs on what `npm ci --omit=dev` installs',
      severity: 'error',
      // What the page uses is bundled with it.
      from: { path: '^src/', pathNot: '^src/page/' },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'] },
    },
    {
      name: 'resolvable',
      comment: 'an import that leads nowhere',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'src-only',
      comment: 'the product imports nothing of tests and scripts',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^(test|scripts)/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
      extensions: ['.ts', '.mts', '.js', '.mjs', '.cjs', '.json'],
    },
  },
};
