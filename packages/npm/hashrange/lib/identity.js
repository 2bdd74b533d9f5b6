// As whom clients talk to a server.
'use strict';

const REGION = 'us-east-1';
// What clients sign with. A server without credentials of its own takes any.
const CREDENTIALS = { accessKeyId: 'hashrange', secretAccessKey: 'hashrange' };

module.exports = { CREDENTIALS, REGION };
