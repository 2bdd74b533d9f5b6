// How a server is emptied, without an AWS SDK.
'use strict';

const { OWN_TARGETS, TIMEOUT_MS, accepted, calling, faultOf } = require('./call.js');

/** The one way in which a server is reset: it does it itself, or all its tables are deleted. */
function reset(endpoint, { empty = false } = {}) {
  return calling(endpoint, async (call) => {
    const answer = await call('Reset', { Empty: empty }, OWN_TARGETS);
    if (faultOf(answer) !== undefined) await deleteTables(call);
  });
}

/** Deletes all tables and resolves when they are gone. */
async function deleteTables(call) {
  const deadline = Date.now() + TIMEOUT_MS;
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

module.exports = { reset };
