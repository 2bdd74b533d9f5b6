// A server as a process of its own, on a free port, with nothing on disk unless it is asked for.
'use strict';

const { spawn } = require('node:child_process');
const { CREDENTIALS, REGION } = require('./identity.js');
const { findProgram } = require('./program.js');
const { reset } = require('./reset.js');
const { stateOf } = require('./state.js');

// Arguments that say where the data are.
const PLACES = ['--data-dir', '--store'];
const START_TIMEOUT_MS = 30_000;
const STOP_TIMEOUT_MS = 10_000;
// So many lines of the log are kept for whoever asks what happened.
const LOG_LINES_MAX = 1000;

/** A server that runs. */
class Server {
  #child;
  #log;
  #end;

  constructor(endpoint, child, log) {
    this.endpoint = endpoint;
    this.port = Number(new URL(endpoint).port);
    this.config = configOf(endpoint);
    this.environment = environmentOf(endpoint);
    Object.assign(this, stateOf(endpoint));
    this.#child = child;
    this.#log = log;
    // A server must not outlive who started it.
    this.#end = () => child.kill('SIGKILL');
    process.once('exit', this.#end);
  }

  log() {
    return [...this.#log];
  }

  async stop() {
    process.off('exit', this.#end);
    const child = this.#child;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.ref();
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
    await ended;
    clearTimeout(timer);
  }

  async [Symbol.asyncDispose ?? Symbol.for('Symbol.asyncDispose')]() {
    await this.stop();
  }
}

/** Starts a server and resolves when it answers: some milliseconds. */
async function start(options = {}) {
  const { port = 0, args = [], program = findProgram(), store } = options;
  const namesPlace = args.some((arg) => PLACES.includes(arg.split('=')[0]));
  const all = ['serve', `--port=${port}`, '--log-format=json', ...(namesPlace || store ? [] : ['--memory']), ...args];
  const isOurs = ([name]) => !name.startsWith('HASHRANGE_');
  const env = Object.fromEntries(Object.entries(process.env).filter(isOurs));
  // Everybody on a machine sees the arguments of a program.
  if (store) env.HASHRANGE_STORE = store;
  const child = spawn(program, all, { stdio: ['ignore', 'ignore', 'pipe'], env });
  const log = [];
  try {
    const endpoint = await ready(child, log);
    // Whoever starts a server and forgets it still ends.
    child.unref();
    child.stderr.unref();
    return new Server(endpoint, child, log);
  } catch (error) {
    child.kill('SIGKILL');
    const said = log.join('\n') || 'it said nothing';
    throw new Error(`${program} ${all.join(' ')} does not start: ${error.message}\n${said}`);
  }
}

/** Resolves to the endpoint that a server logs; goes on reading its log for as long as it runs. */
function ready(child, log) {
  return new Promise((resolve, reject) => {
    const late = () => reject(new Error(`it did not answer within ${START_TIMEOUT_MS / 1000} s`));
    const timer = setTimeout(late, START_TIMEOUT_MS);
    const settle = (how) => (value) => {
      clearTimeout(timer);
      how(value);
    };
    child.once('error', settle(reject));
    child.once('close', (code) => settle(reject)(new Error(`it ended with ${code}`)));
    let rest = '';
    child.stderr.setEncoding('utf8');
    child.stderr.on('data', (text) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop();
      for (const line of lines) {
        if (log.push(line) > LOG_LINES_MAX) log.shift();
        const endpoint = endpointIn(line);
        if (endpoint) settle(resolve)(endpoint);
      }
    });
  });
}

function endpointIn(line) {
  try {
    return JSON.parse(line).endpoint;
  } catch {
    return undefined;
  }
}

/** Returns what a client of the AWS SDK is made with to talk to a server. */
function configOf(endpoint) {
  return { endpoint, region: REGION, credentials: { ...CREDENTIALS } };
}

/** Returns the variables with which every AWS SDK, and the AWS CLI, finds a server by itself. */
function environmentOf(endpoint) {
  return {
    AWS_ENDPOINT_URL_DYNAMODB: endpoint,
    AWS_ENDPOINT_URL_DYNAMODB_STREAMS: endpoint,
    AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
    AWS_REGION: REGION,
    AWS_DEFAULT_REGION: REGION,
  };
}

module.exports = { start, reset, stateOf, findProgram, configOf, environmentOf };
