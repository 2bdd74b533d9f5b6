// Operations of a server, called without an AWS SDK.
'use strict';

const http = require('node:http');
const { CREDENTIALS, REGION } = require('./identity.js');

const TIMEOUT_MS = 30_000;

// Says whose tables are meant. A server without credentials of its own verifies no signature.
const AUTHORIZATION =
  `AWS4-HMAC-SHA256 Credential=${CREDENTIALS.accessKeyId}/20200101/${REGION}/dynamodb/aws4_request, ` +
  `SignedHeaders=host, Signature=${'0'.repeat(64)}`;
// The namespaces of the service's operations and of the server's own.
const TARGETS = 'DynamoDB_20120810';
const OWN_TARGETS = 'Hashrange_2026';

/** Does work that calls operations, on one kept connection. */
async function calling(endpoint, work) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const call = (operation, request, targets = TARGETS) =>
    send(agent, endpoint, `${targets}.${operation}`, request);
  try {
    return await work(call);
  } finally {
    agent.destroy();
  }
}

/** Calls an operation of the server's own. */
function own(endpoint, operation, request) {
  return calling(endpoint, (call) => call(operation, request, OWN_TARGETS).then(accepted(operation)));
}

function accepted(what) {
  return (answer) => {
    if (faultOf(answer) === undefined) return answer;
    throw new Error(`${what} was refused: ${faultOf(answer)}: ${answer.message ?? answer.Message ?? 'no reason given'}`);
  };
}

function faultOf(answer) {
  return answer.__type?.split('#').pop();
}

/** Resolves to the answer of an operation; that of a refused one has `__type`. */
function send(agent, endpoint, target, body) {
  return new Promise((resolve, reject) => {
    const failed = (error) => reject(new Error(`the server at ${endpoint} does not answer: ${error.message}`));
    const headers = {
      Authorization: AUTHORIZATION,
      'X-Amz-Date': '20200101T000000Z',
      'Content-Type': 'application/x-amz-json-1.0',
      'X-Amz-Target': target,
    };
    const options = { method: 'POST', agent, headers, timeout: TIMEOUT_MS };
    const request = http.request(endpoint, options, (response) => {
      const parts = [];
      response.on('data', (part) => parts.push(part));
      response.on('error', failed);
      response.on('end', () => {
        try {
          resolve(JSON.parse(Buffer.concat(parts).toString() || '{}'));
        } catch (error) {
          failed(error);
        }
      });
    });
    request.on('timeout', () => request.destroy(new Error('too late')));
    request.on('error', failed);
    request.end(JSON.stringify(body));
  });
}

module.exports = { OWN_TARGETS, TIMEOUT_MS, accepted, calling, faultOf, own };
