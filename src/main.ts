#!/usr/bin/env node
import { keepYoungGeneration, tuneCollector } from './v8-flags.ts';

tuneCollector();
// Only now: loading the program makes the young generation grow.
const { run } = await import('./run.ts');
keepYoungGeneration();
process.exitCode = await run(process.argv.slice(2));
