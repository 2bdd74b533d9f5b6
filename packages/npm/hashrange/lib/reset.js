// How a server is emptied, without an AWS SDK.
'use strict';

const http = require('node:http');
const { CREDENTIALS, REGION } = require('./identity.js');

const RESET_TIMEOUT_MS = 30_000;

// Says whose tables are meant. A server without credentials of its own verifies no signature.
const AUTHORIZATION =
  `AWS4-HMAC-SHA256 Credential=${CREDENTIALS.accessKeyId}/20200101/${REGION}/dynamodb/aws4_request, ` +
  `SignedHeaders=host, Signature=${'0'.repeat(64)}`;
// The namespaces of the service's operations and of the server's own.
const TARGETS = 'DynamoDB_20120810';
const OWN_TARGETS = 'Hashrange_2026';

/** The one way in which a server is reset: it does it itself, or all its tables are deleted. */
async function reset(endpoint) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const call = (operation, request, targets = TARGETS) =>
    send(agent, endpoint, `${targets}.${operation}`, request);
  try {
    const answer = await call('Reset', {}, OWN_TARGETS);
    if (faultOf(answer) !== undefined) await deleteTables(call);
  } finally {
    agent.destroy();
  }
}

/** Deletes all tables and resolves when they are gone. */
async function deleteTables(call) {
  const deadline = Date.now() + RESET_TIMEOUT_MS;
  for (;;) {
    const { TableNames: names } = await call('ListTables', {}).then(accepted('ListTables'));
    if (names.length === 0) return;
    for (const name of names) await deleteTable(call, name);
    if (Date.now() > deadline) throw new Error(`these tables do not go away: ${names.join(', ')}`);
  }
}

async function deleteTable(call, name) {
  let answer = await call('DeleteTable', { TableName: name });
  if (faultOf(answer) === 'ValidationException') {
    // It is protected from deletion.
    await call('UpdateTable', { TableName: name, DeletionProtectionEnabled: false });
    answer = await call('DeleteTable', { TableName: name });
  }
  // A table that is being changed or deleted is looked at again.
  if (!['ResourceNotFoundException', 'ResourceInUseException'].includes(faultOf(answer))) {
    accepted(`DeleteTable ${name}`)(answer);
  }
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
    const options = { method: 'POST', agent, headers, timeout: RESET_TIMEOUT_MS };
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

module.exports = { reset };
