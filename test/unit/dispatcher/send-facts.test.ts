import { type HttpResult, noTiming } from '#lib/http-client';
import { sendFactsOf } from '../../../services/dispatcher/send/send-facts.ts';
import { aFailure, anAnswer } from './fixtures.ts';

const request = { method: 'PUT', url: 'https://receiver.test/hook', headers: { 'webhook-id': 'evt_1' } };
const factsOf = (result: HttpResult) => sendFactsOf({ result, duration_ms: 3, request });
const answeredHeaders = (...headers: [string, string][]) => factsOf(anAnswer(200, { headers })).response_headers;

describe('what is written down of a send', () => {
  it('is what was sent, what came back, and how long each phase took', () => {
    const timing = { ...noTiming, dnsMs: 1.23456, firstByteMs: 20, bodyMs: 0.004 };
    const excerpt = Buffer.from('no');
    expect(factsOf(anAnswer(500, { excerpt, headers: [['server', 'nginx']], timing }))).toEqual({
      outcome: 'http_5xx',
      http_status: 500,
      duration_ms: 3,
      detail: 'answered 500',
      response_excerpt: excerpt,
      request,
      response_headers: { server: 'nginx' },
      timing: { dns_ms: 1.23, connect_ms: null, tls_ms: null, first_byte_ms: 20, body_ms: 0 },
    });
  });

  it('has no detail of what was taken, and no excerpt of an empty body', () => {
    expect(factsOf(anAnswer(204))).toMatchObject({ detail: null, response_excerpt: null, response_headers: {} });
  });

  it('says what was odd about the head of an answer, also of one that was taken', () => {
    const oddity = 'lines end in a line feed alone';
    expect(factsOf(anAnswer(200, { oddity }))).toMatchObject({
      outcome: 'delivered',
      http_status: 200,
      detail: 'answered 200 with an odd head: lines end in a line feed alone',
    });
    expect(factsOf(anAnswer(500, { oddity })).detail).toBe(
      'answered 500 with an odd head: lines end in a line feed alone',
    );
  });

  it('has the request and the phases of what was not answered, and nothing that is for the operator', () => {
    const late = aFailure('timeout', { detail: 'late', operatorDetail: '10.0.0.5', timing: { ...noTiming, dnsMs: 2 } });
    expect(factsOf(late)).toEqual({
      outcome: 'timeout',
      http_status: null,
      duration_ms: 3,
      detail: 'late',
      response_excerpt: null,
      request,
      response_headers: null,
      timing: { dns_ms: 2, connect_ms: null, tls_ms: null, first_byte_ms: null, body_ms: null },
    });
  });

  it('is that nothing was exchanged, where nothing was sent', () => {
    const nothing = sendFactsOf({
      result: aFailure('blocked', { detail: 'no secret' }),
      duration_ms: 0,
      request: null,
    });
    expect(nothing).toMatchObject({
      outcome: 'blocked',
      detail: 'no secret',
      request: null,
      response_headers: null,
      timing: null,
    });
  });

  it('has one value for each name, joined where it came again', () => {
    expect(answeredHeaders(['Vary', 'accept'], ['server', 'x'], ['vary', 'origin'])).toEqual({
      vary: 'accept, origin',
      server: 'x',
    });
  });

  it('has no secret of the receiver’s, but what it asks for instead', () => {
    expect(
      answeredHeaders(
        ['set-cookie', 'a=1'],
        ['set-cookie', 'b=2'],
        ['x-auth-token', 't'],
        ['www-authenticate', 'Basic'],
      ),
    ).toEqual({ 'set-cookie': '***', 'x-auth-token': '***', 'www-authenticate': 'Basic' });
  });
});
