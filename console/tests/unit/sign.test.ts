import assert from 'node:assert/strict';
import { test } from 'node:test';
import { amzDate, authorization, unsigned } from '../../src/base/sign';

// The example keys and requests of the service's public test suite for signatures.
const keys = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' };
const scope = { region: 'us-east-1', service: 'service', date: '20150830T123600Z' };
const request = (method: string, headers: Record<string, string> = {}) => ({
  method,
  path: '/',
  host: 'example.amazonaws.com',
  headers: { 'X-Amz-Date': scope.date, ...headers },
  body: '',
});

test('a GET has the known signature', async () => {
  const signed = await authorization(request('GET'), keys, scope);
  assert.equal(
    signed,
    'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=host;x-amz-date, Signature=5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31',
  );
});

test('a POST has the known signature', async () => {
  const signed = await authorization(request('POST'), keys, scope);
  assert.match(signed, /Signature=5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b$/);
});

test('headers are signed in order, by their names in small letters', async () => {
  const signed = await authorization(request('POST', { 'My-Header1': 'value1' }), keys, scope);
  assert.match(
    signed,
    /SignedHeaders=host;my-header1;x-amz-date, Signature=c5410059b04c1ee005303aed430f6e6645f61f4dc9e1461ec8f8916fdf18852c$/,
  );
});

test('the moment of a request has no signs between its digits', () =>
  assert.equal(amzDate(new Date(Date.UTC(2026, 0, 2, 3, 4, 5, 678))), '20260102T030405Z'));

test('without a signature the header is well-formed all the same', () => {
  assert.match(
    unsigned('me', scope),
    /^AWS4-HMAC-SHA256 Credential=me\/20150830\/us-east-1\/service\/aws4_request, SignedHeaders=host;x-amz-date, Signature=0{64}$/,
  );
});
