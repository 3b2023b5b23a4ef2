#!/usr/bin/env node
import { tuneCollector } from './v8-flags.ts';

tuneCollector();
// Only now: loading the program makes the young generation grow.
const { run } = await import('./run.ts');
process.exitCode = await run(process.argv.slice(2));
