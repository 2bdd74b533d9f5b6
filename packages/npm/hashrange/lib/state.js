// The state of a server and its clock: what tests save, put back and move.
'use strict';

const { own } = require('./call.js');
const { reset } = require('./reset.js');

const DEFAULT_SAVE = 'default';

/** Returns the calls on the state and the clock of the server at an endpoint. */
function stateOf(endpoint) {
  return {
    reset: (options) => reset(endpoint, options),
    save: async (name = DEFAULT_SAVE) => void (await own(endpoint, 'Save', { Name: name })),
    restore: async (name = DEFAULT_SAVE) => void (await own(endpoint, 'Restore', { Name: name })),
    saves: async () => (await own(endpoint, 'ListSaves', {})).Saves.map((save) => save.Name),
    deleteSave: async (name = DEFAULT_SAVE) => void (await own(endpoint, 'DeleteSave', { Name: name })),
    clock: async () => shown(await own(endpoint, 'DescribeClock', {})),
    setClock: async (setting) => shown(await own(endpoint, 'SetClock', requestOf(setting))),
  };
}

/** Returns the request of a setting: a Date is written as a date, milliseconds of `advance` with their unit. */
function requestOf({ now, advance, stopped }) {
  return {
    Now: now instanceof Date ? now.toISOString() : now,
    Advance: typeof advance === 'number' ? `${advance}ms` : advance,
    Stopped: stopped,
  };
}

function shown({ Date: date, Stopped: stopped }) {
  return { now: new Date(date), stopped };
}

module.exports = { stateOf };
