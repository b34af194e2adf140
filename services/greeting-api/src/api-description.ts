import { refusalRows } from '@greeting/guard'
import { roles } from './greetings.ts'

/** What the description names: where the API and its authorization server are. */
export type Place = {
  readonly baseUrl: string
  readonly tokenUrl: string
  /** The scope that a client requests, such as `api://<application id>/.default`. */
  readonly scope: string
}

const greeting = (example: string) => ({
  description: 'The greeting.',
  headers: { 'Cache-Control': { $ref: '#/components/headers/NoStore' } },
  content: { 'text/plain': { schema: { type: 'string' }, example } },
})

const refused = (response: string) => ({ $ref: `#/components/responses/${response}` })

const refusals = {
  '400': refused('BadRequest'),
  '401': refused('Unauthorized'),
  '403': refused('Forbidden'),
  '503': refused('Unavailable'),
}

const errorResponse = (description: string, examples: Record<string, object>, headers = {}) => ({
  description,
  headers: { 'Cache-Control': { $ref: '#/components/headers/NoStore' }, ...headers },
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' }, examples } },
})

const exampleOf = (reason: keyof typeof refusalRows) => {
  const { error, description } = refusalRows[reason]
  return { value: { error, error_description: description } }
}

const challenge = {
  'WWW-Authenticate': {
    description: 'What was missing or wrong (RFC 6750 section 3).',
    schema: { type: 'string' },
  },
}

const open = (summary: string, ...types: readonly string[]) => ({
  get: {
    summary,
    tags: ['Open'],
    security: [],
    responses: {
      '200': {
        description: summary,
        content: Object.fromEntries(types.map((type) => [type, { schema: {} }])),
      },
    },
  },
})

/** Describes the whole API in the words of OpenAPI 3.1. */
export function describeApi({ baseUrl, tokenUrl, scope }: Place) {
  return {
    openapi: '3.1.1',
    info: {
      title: 'Greeting API',
      version: '1.0.0',
      summary: 'Two greetings for programs, each behind its own application role.',
      description:
        'Every path under `/api/v1/` takes a bearer access token that the authorization server issues by the OAuth 2.0 client credentials flow. A role is not a substitute for the other.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: baseUrl }],
    tags: [
      { name: 'Greetings', description: 'Guarded: each needs a token with its role.' },
      { name: 'Open', description: 'No token is asked for.' },
    ],
    security: [{ clientCredentials: [scope] }],
    paths: {
      '/api/v1/hi': {
        get: {
          summary: 'Hi',
          description: `Needs the role \`${roles[0]}\`.`,
          operationId: 'hi',
          tags: ['Greetings'],
          responses: { '200': greeting('Hi'), ...refusals },
        },
      },
      '/api/v1/hello': {
        get: {
          summary: 'Hello, by name',
          description: `Needs the role \`${roles[1]}\`. The role is checked before the name.`,
          operationId: 'hello',
          tags: ['Greetings'],
          parameters: [
            {
              name: 'name',
              in: 'query',
              required: true,
              description:
                'Given exactly once; may be empty. It is greeted exactly as it was sent.',
              schema: { type: 'string' },
              example: 'Ada',
            },
          ],
          responses: { '200': greeting('Hello, Ada'), ...refusals },
        },
      },
      '/': open(
        'What this is: a page for a browser, JSON for a program.',
        'application/json',
        'text/html',
      ),
      '/docs': open('This description as a page.', 'text/html'),
      '/openapi.json': open('This description.', 'application/json'),
      '/.well-known/oauth-protected-resource': open(
        'What this resource is and which authorization server it trusts (RFC 9728).',
        'application/json',
      ),
      '/healthz': open('The process is alive.', 'application/json'),
      '/readyz': {
        get: {
          summary: 'Whether tokens can be verified: the keys are in hand.',
          tags: ['Open'],
          security: [],
          responses: {
            '200': {
              description: 'Ready.',
              content: { 'application/json': { schema: { $ref: '#/components/schemas/Status' } } },
            },
            '503': {
              description: 'Not ready: no usable keys, or stopping.',
              content: { 'application/json': { schema: { $ref: '#/components/schemas/Status' } } },
            },
          },
        },
      },
      '/metrics': open('Measurements for Prometheus.', 'text/plain'),
    },
    components: {
      securitySchemes: {
        clientCredentials: {
          type: 'oauth2',
          description: 'The token is sent as `Authorization: Bearer <token>`.',
          flows: {
            clientCredentials: {
              tokenUrl,
              scopes: { [scope]: 'Every role that was granted to the client for this API.' },
            },
          },
        },
      },
      headers: { NoStore: { description: '`no-store`', schema: { const: 'no-store' } } },
      schemas: {
        Error: {
          type: 'object',
          required: ['error', 'error_description'],
          additionalProperties: false,
          properties: { error: { type: 'string' }, error_description: { type: 'string' } },
        },
        Status: {
          type: 'object',
          required: ['status'],
          properties: { status: { type: 'string' } },
        },
      },
      responses: {
        BadRequest: errorResponse(
          'Credentials that are not exactly one bearer token in the header, or a name that is not given exactly once.',
          {
            credentials: exampleOf('credentials_malformed'),
            name: {
              value: {
                error: 'invalid_request',
                error_description: 'The query parameter name must be given exactly once',
              },
            },
          },
        ),
        Unauthorized: errorResponse(
          'No token, or one that is not valid for this API.',
          { missing: exampleOf('no_credentials'), expired: exampleOf('expired') },
          challenge,
        ),
        Forbidden: errorResponse(
          'The token is valid and lacks the role.',
          { role: exampleOf('role_missing') },
          challenge,
        ),
        Unavailable: errorResponse(
          'The keys cannot be had, so nobody can tell whether the token is valid. Try again.',
          { keys: exampleOf('keys_unavailable') },
          {
            'Retry-After': {
              description: 'Seconds to wait.',
              schema: { type: 'integer', minimum: 1 },
            },
          },
        ),
      },
    },
  }
}

/** The description of the API, as `/openapi.json` serves it. */
export type ApiDescription = ReturnType<typeof describeApi>
