import {
  createPublicKey,
  generateKeyPairSync,
  type JsonWebKey,
  type KeyObject,
  randomUUID,
  sign,
  verify,
} from 'node:crypto'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { DecodedJwt } from 'fast-jwt'
import type { Fetch, Listen } from '../../packages/http-service/src/index.ts'

// One process for each row of peers/contestants.ts. A row imports its packages itself, so that a process
// loads no other program. The harness sets the environment.
const {
  KEY_SET_URL: keySetUrl = '',
  ISSUER: issuer = '',
  AUDIENCE: audience = '',
  ROLE: role = '',
  CLIENT_ID: clientId = '',
  CLIENT_SECRET: clientSecret = '',
} = process.env
const host = '127.0.0.1'
const path = '/api/v1/hi'

/** Starts each program, and returns its address. */
const servers: Readonly<Record<string, () => Promise<string>>> = {
  /** Express with Auth0's middleware, as its page shows it. */
  'express-oauth2-jwt-bearer': async () => {
    const { default: express } = await import('express')
    const { auth, claimIncludes } = await import('express-oauth2-jwt-bearer')
    const app = express()
    app.get(
      path,
      auth({ issuer, jwksUri: keySetUrl, audience, tokenSigningAlg: 'RS256' }),
      claimIncludes('roles', role),
      (_request, response) => {
        response.type('text/plain').send('Hi')
      },
    )
    return listening(app)
  },

  /** Fastify with fast-jwt, with its cache of verified tokens, and keys by get-jwks. */
  'fast-jwt': async () => {
    const { createVerifier } = await import('fast-jwt')
    const { default: buildGetJwks } = await import('get-jwks')
    const { origin: domain, pathname: jwksPath } = new URL(keySetUrl)
    const keys = buildGetJwks({ jwksPath })
    const check = createVerifier({
      key: ({ header: { kid, alg } }: DecodedJwt) => keys.getPublicKey({ kid, alg, domain }),
      cache: true,
      algorithms: ['RS256'],
      allowedIss: issuer,
      allowedAud: audience,
    })
    return fastify(check)
  },

  /** Fastify with jose, as jose documents a resource server: a remote key set and `jwtVerify`. */
  'fastify-jose': async () => {
    const { createRemoteJWKSet, jwtVerify } = await import('jose')
    const keySet = createRemoteJWKSet(new URL(keySetUrl))
    const expected = { issuer, audience, algorithms: ['RS256'] }
    return fastify(async (token) => (await jwtVerify(token, keySet, expected)).payload)
  },

  /** Hono with its own `jwk` middleware, which fetches the key set for every request. */
  'hono-jwk': async () => {
    const { serve } = await import('@hono/node-server')
    const { Hono } = await import('hono')
    const { jwk } = await import('hono/jwk')
    const app = new Hono<{ Variables: { jwtPayload: object } }>()
    const verification = { iss: issuer, aud: audience }
    app.use('/api/v1/*', jwk({ jwks_uri: keySetUrl, alg: ['RS256'], verification }))
    app.get(path, (context) =>
      hasRole(context.get('jwtPayload')) ? context.text('Hi') : context.body(null, 403),
    )
    return new Promise((resolve) => {
      serve({ fetch: app.fetch, port: 0, hostname: host }, ({ port }) => resolve(urlOf(port)))
    })
  },

  /**
   * The minimum of a server on Node, and of a token check: one verification, and a comparison of the
   * claims. It is not a guard: it is not strict, caches nothing and refreshes no keys.
   */
  'node-http': async () => {
    const { keys }: { keys: (JsonWebKey & { kid: string })[] } = await (
      await fetch(keySetUrl)
    ).json()
    const known = new Map<unknown, KeyObject>(
      keys.map((key) => [key.kid, createPublicKey({ key, format: 'jwk' })]),
    )
    const read = (part: string): Record<string, unknown> =>
      JSON.parse(Buffer.from(part, 'base64url').toString())
    const statusFor = (token: string): number => {
      const [header = '', claims = '', signature = ''] = token.split('.')
      if (header === '') return 401
      const key = known.get(read(header).kid)
      const input = Buffer.from(`${header}.${claims}`, 'latin1')
      if (!key || !verify('RSA-SHA256', input, key, Buffer.from(signature, 'base64url'))) return 401
      const { iss, aud, exp, ...rest } = read(claims)
      if (iss !== issuer || aud !== audience || Number(exp) < Date.now() / 1000) return 401
      return hasRole(rest) ? 200 : 403
    }
    return listening(({ url, headers: { authorization = '' } }, response) => {
      const status = url === '/' ? 200 : statusFor(authorization.slice('Bearer '.length))
      response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end('Hi')
    })
  },

  /** The greeting API in its released form, with Bun's own server before its `fetch` handler. */
  'greeting-bun': async () => {
    const { pino } = await import('pino')
    const { startService } = await import('../../services/greeting-api/src/service.ts')
    const { readSettings } = await import('../../services/greeting-api/src/settings.ts')
    const openListener: Listen = async (hostname, port) => {
      let answer: Fetch = () => new Response(null, { status: 503 })
      const server = Bun.serve({ hostname, port, fetch: (request) => answer(request) })
      return {
        url: urlOf(server.port),
        answerWith: (fetch) => {
          answer = fetch
        },
        stop: () => server.stop(),
      }
    }
    const settings = readSettings(process.env)
    const log = pino({ level: settings.LOG_LEVEL })
    return (await startService(settings, log, { openListener })).url
  },

  /** The minimum of a token endpoint on Node: it reads the form, signs, and checks nothing. */
  'node-http-sign': async () => {
    const { privateKey, jwk } = signingKey()
    const base64url = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const header = base64url({ typ: 'JWT', alg: 'RS256', kid: jwk.kid })
    return listening(async (request, response) => {
      const answer = (body: object) => {
        response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-store' })
        response.end(JSON.stringify(body))
      }
      if (request.url === '/jwks')
        return answer({
          keys: [{ ...createPublicKey(privateKey).export({ format: 'jwk' }), ...jwk }],
        })
      let body = ''
      request.setEncoding('utf8').on('data', (chunk: string) => {
        body += chunk
      })
      request.on('end', () => {
        const appid = new URLSearchParams(body).get('client_id')
        const exp = Math.floor(Date.now() / 1000) + 3600
        const content = `${header}.${base64url({ aud: audience, appid, exp, uti: randomUUID() })}`
        sign('sha256', Buffer.from(content), privateKey, (error, signature) => {
          if (error) throw error
          const token = `${content}.${signature.toString('base64url')}`
          answer({ token_type: 'Bearer', expires_in: 3599, access_token: token })
        })
      })
    })
  },

  /** oauth2-mock-server with one RSA key of 2048 bits. It checks no secret. */
  'oauth2-mock-server': async () => {
    const { OAuth2Server } = await import('oauth2-mock-server')
    const server = new OAuth2Server()
    await server.issuer.keys.generate('RS256')
    await server.start(0, host)
    return server.issuer.url ?? ''
  },

  /** node-oidc-provider with its in-memory adapter, issuing RS256 access tokens for one resource. */
  'oidc-provider': async () => {
    const { Provider } = await import('oidc-provider')
    const { privateKey, jwk } = signingKey()
    let answer: RequestListener = (_request, response) => response.writeHead(503).end()
    const url = await listening((request, response) => answer(request, response))
    const provider = new Provider(url, {
      jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), ...jwk, kty: 'RSA' }] },
      clients: [
        {
          client_id: clientId,
          client_secret: clientSecret,
          grant_types: ['client_credentials'],
          redirect_uris: [],
          response_types: [],
          token_endpoint_auth_method: 'client_secret_post',
        },
      ],
      features: {
        devInteractions: { enabled: false },
        clientCredentials: { enabled: true },
        resourceIndicators: {
          enabled: true,
          defaultResource: () => audience,
          getResourceServerInfo: () => ({
            scope: '',
            audience,
            accessTokenFormat: 'jwt',
            accessTokenTTL: 3600,
            jwt: { sign: { alg: 'RS256' } },
          }),
        },
      },
    })
    answer = provider.callback()
    return url
  },
}

/** The part of Bun's server that is used here. */
declare const Bun: {
  serve(options: {
    hostname: string
    port: number
    fetch: (request: Request) => Response | Promise<Response>
  }): { readonly port: number; stop(closeActiveConnections?: boolean): Promise<void> }
}

const urlOf = (port: number): string => `http://${host}:${port}`

/** Whether a verified payload contains the role. Every guarded peer uses this. */
function hasRole(claims: object): boolean {
  const roles = 'roles' in claims ? claims.roles : undefined
  return Array.isArray(roles) && roles.includes(role)
}

/** Fastify with one route behind a check, which throws for an invalid token. */
async function fastify(check: (token: string) => Promise<object>): Promise<string> {
  const { default: Fastify } = await import('fastify')
  const app = Fastify()
  app.get(path, async ({ headers }, reply) => {
    const token = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1]
    if (token === undefined) return reply.code(401).send()
    const claims = await check(token).catch(() => undefined)
    if (claims === undefined) return reply.code(401).send()
    if (!hasRole(claims)) return reply.code(403).send()
    return reply.type('text/plain; charset=utf-8').send('Hi')
  })
  return app.listen({ port: 0, host })
}

const signingKey = () => ({
  privateKey: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey,
  jwk: { kid: randomUUID(), use: 'sig', alg: 'RS256' },
})

function listening(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  return new Promise((resolve) => {
    server.listen(0, host, () => resolve(urlOf((server.address() as AddressInfo).port)))
  })
}

const url = await servers[process.argv[2] ?? '']?.()
// The services of this repository print this line when they listen.
console.log(JSON.stringify({ msg: 'listening', url }))
