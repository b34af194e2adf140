import { refusalRows } from '@greeting/guard'
import { greetings, nameError } from './greetings.ts'

export type ApiAddresses = {
  readonly baseUrl: string
  readonly tokenUrl: string
  /** The scope of a token request, such as `api://<application id>/.default`. */
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

/** A greeting as OpenAPI describes it. */
const pathItemOf = ({ name, role, summary, parameters, example }: (typeof greetings)[number]) => {
  const described = Object.entries(parameters)
  const order = described.map(([one]) => ` The role is checked before the ${one}.`).join('')
  return {
    get: {
      summary,
      description: `Requires the role \`${role}\`.${order}`,
      operationId: name,
      tags: ['Greetings'],
      ...(described.length > 0 && {
        parameters: described.map(([parameter, part]) => ({
          name: parameter,
          in: 'query',
          required: true,
          description: part.text,
          schema: { type: 'string' },
          example: part.example,
        })),
      }),
      responses: { '200': greeting(example), ...refusals },
    },
  }
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
    description: 'The scheme and the reason of the refusal (RFC 6750 section 3).',
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

/** Makes the description of the whole API in OpenAPI 3.1. */
export function describeApi({ baseUrl, tokenUrl, scope }: ApiAddresses) {
  return {
    openapi: '3.1.1',
    info: {
      title: 'Greeting API',
      version: '1.0.0',
      summary: 'Greetings for programs, each with its own app role.',
      description:
        'Every path under `/api/v1/` requires a bearer access token. The authorization server issues it by the OAuth 2.0 client credentials flow. No role includes another one.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: baseUrl }],
    tags: [
      { name: 'Greetings', description: 'Each greeting requires a token with its role.' },
      { name: 'Open', description: 'These paths require no token.' },
    ],
    security: [{ clientCredentials: [scope] }],
    paths: {
      ...Object.fromEntries(greetings.map((one) => [`/api/v1/${one.name}`, pathItemOf(one)])),
      '/': open(
        'The start page: HTML for a browser, JSON for a program.',
        'application/json',
        'text/html',
      ),
      '/docs': open('The API description as a page, in which requests can be tried.', 'text/html'),
      '/openapi.json': open('The API description.', 'application/json'),
      '/.well-known/oauth-protected-resource': open(
        'The protected resource metadata (RFC 9728): the API and its authorization server.',
        'application/json',
      ),
      '/healthz': open('The process is alive.', 'application/json'),
      '/readyz': {
        get: {
          summary: 'Whether the service can verify tokens: the keys are loaded.',
          tags: ['Open'],
          security: [],
          responses: {
            '200': {
              description: 'Ready.',
              content: { 'application/json': { schema: { $ref: '#/components/schemas/Status' } } },
            },
            '503': {
              description: 'Not ready: the service has no usable keys, or it is stopping.',
              content: { 'application/json': { schema: { $ref: '#/components/schemas/Status' } } },
            },
          },
        },
      },
    },
    components: {
      securitySchemes: {
        clientCredentials: {
          type: 'oauth2',
          description: 'The token is sent as `Authorization: Bearer <token>`.',
          flows: {
            clientCredentials: {
              tokenUrl,
              scopes: { [scope]: 'All roles of the client for this API.' },
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
          'The header does not contain exactly one bearer token, or the name does not occur exactly once.',
          {
            credentials: exampleOf('credentials_malformed'),
            name: { value: nameError },
          },
        ),
        Unauthorized: errorResponse(
          'The token is missing or not valid for this API.',
          { missing: exampleOf('no_credentials'), expired: exampleOf('expired') },
          challenge,
        ),
        Forbidden: errorResponse(
          'The token is valid, but does not contain the role.',
          { role: exampleOf('role_missing') },
          challenge,
        ),
        Unavailable: errorResponse(
          'The verification keys are not available, so the token cannot be verified. Try again later.',
          { keys: exampleOf('keys_unavailable') },
          {
            'Retry-After': {
              description: 'Seconds until the next attempt.',
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
