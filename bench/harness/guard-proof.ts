import { accessToken } from './access-token.ts'
import type { Scene } from './scene.ts'

type Case = { readonly name: string; readonly token: (scene: Scene) => string | undefined }

const goodToken: Case = { name: 'a good token', token: (scene) => accessToken(scene) }

/** What no guarded server may let in. */
const intruders: readonly Case[] = [
  { name: 'no token', token: () => undefined },
  { name: 'a token with a changed signature', token: (scene) => tampered(accessToken(scene)) },
  {
    name: 'a token signed by a stranger',
    token: (scene) => accessToken(scene, {}, scene.stranger),
  },
  { name: 'an expired token', token: (scene) => accessToken(scene, { exp: anHourAgo() }) },
  {
    name: 'a token for another audience',
    token: (scene) => accessToken(scene, { aud: 'api://another' }),
  },
  {
    name: 'a token of another issuer',
    token: (scene) => accessToken(scene, { iss: 'https://another.example/' }),
  },
  {
    name: 'a token without the role',
    token: (scene) => accessToken(scene, { roles: ['CallHelloApiRole'] }),
  },
]

const anHourAgo = () => Math.floor(Date.now() / 1000) - 3600

function tampered(token: string): string {
  const at = token.lastIndexOf('.') + 100
  return token.slice(0, at) + (token[at] === 'A' ? 'B' : 'A') + token.slice(at + 1)
}

/** Asks a guarded route for real: what it wrongly refused or let in, or nothing. */
export async function proofOfGuarding(url: string, scene: Scene): Promise<string[]> {
  const faults: string[] = []
  const good = await answer(url, goodToken.token(scene))
  if (good.status !== 200 || good.body !== 'Hi') faults.push(`${goodToken.name} got ${good.status}`)
  for (const { name, token } of intruders) {
    const { status } = await answer(url, token(scene))
    if (status < 400 || status > 403) faults.push(`${name} got ${status}`)
  }
  return faults
}

/** Asks an open route without a token: nothing, or how it failed. */
export async function proofOfOpenness(url: string): Promise<string[]> {
  const { status } = await answer(url, undefined)
  return status === 200 ? [] : [`the open route answered ${status}`]
}

async function answer(url: string, token: string | undefined) {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const response = await fetch(url, { headers, signal: AbortSignal.timeout(5_000) })
  return { status: response.status, body: await response.text() }
}
