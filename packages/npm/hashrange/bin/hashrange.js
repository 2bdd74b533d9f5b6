#!/usr/bin/env node
// `npx hashrange ...`: runs the program of this machine's package, hands signals on to it, and ends as
// it ends.
'use strict';

const { spawn } = require('node:child_process');
const os = require('node:os');
const { findProgram } = require('../lib/program.js');

function fail(error) {
  console.error(`hashrange: ${error.message}`);
  process.exitCode = 1;
}

function main() {
  const child = spawn(findProgram(), process.argv.slice(2), { stdio: 'inherit' });
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  // Ctrl-C reaches both of us; a second one would end the server at once.
  const handOn = (signal) => (signal === 'SIGINT' && process.stdin.isTTY) || child.kill(signal);
  for (const signal of signals) process.on(signal, handOn);
  child.on('error', fail);
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? 128 + os.constants.signals[signal];
  });
}

try {
  main();
} catch (error) {
  fail(error);
}
