import { createPublicKey, generateKeyPairSync, randomUUID, sign } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { announce } from './environment.ts'

/** The minimum of a token endpoint on Node: it reads the form, signs, and checks nothing. */
const { AUDIENCE = '' } = process.env
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const kid = randomUUID()
const jwk = { ...createPublicKey(privateKey).export({ format: 'jwk' }), kid, use: 'sig' }
const base64url = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const header = base64url({ typ: 'JWT', alg: 'RS256', kid })

const server = createServer((request, response) => {
  const answer = (body: object) => {
    response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-store' })
    response.end(JSON.stringify(body))
  }
  if (request.url === '/jwks') return answer({ keys: [jwk] })
  let body = ''
  request.setEncoding('utf8')
  request.on('data', (chunk: string) => {
    body += chunk
  })
  request.on('end', () => {
    const form = new URLSearchParams(body)
    const now = Math.floor(Date.now() / 1000)
    const claims = {
      aud: AUDIENCE,
      appid: form.get('client_id'),
      exp: now + 3600,
      uti: randomUUID(),
    }
    const content = `${header}.${base64url(claims)}`
    sign('sha256', Buffer.from(content), privateKey, (error, signature) => {
      if (error) throw error
      const token = `${content}.${signature.toString('base64url')}`
      answer({ token_type: 'Bearer', expires_in: 3599, access_token: token })
    })
  })
})

server.listen(0, '127.0.0.1', () => {
  announce(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
