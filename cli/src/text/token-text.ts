import { CommandFailure } from '../exit-codes.ts'
import { timeInWords } from './time.ts'
import { visibleText } from './visible-text.ts'

type Json = Readonly<Record<string, unknown>>

type DecodedToken = { readonly header: Json; readonly claims: Json }

/** Decodes an access token for display. It verifies nothing. */
export function decodeToken(token: string): DecodedToken {
  const [header, claims] = token.split('.')
  try {
    return { header: parsePart(header), claims: parsePart(claims) }
  } catch (cause) {
    throw new CommandFailure(
      'failed',
      'The access token is not a JWT, so it has no claims to show',
      {
        cause,
      },
    )
  }
}

function parsePart(part = ''): Json {
  const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'))
  if (typeof value !== 'object' || value === null) throw new SyntaxError('not an object')
  return value as Json
}

const timeClaims = new Set(['iat', 'nbf', 'exp'])

function lineOf(name: string, value: unknown, width: number, nowSeconds: number): string {
  const text = visibleText(typeof value === 'string' ? value : JSON.stringify(value))
  const label = `  ${visibleText(name).padEnd(width)}  `
  if (!timeClaims.has(name) || typeof value !== 'number') return label + text
  const moment = new Date(value * 1000)
  if (Number.isNaN(moment.getTime())) return label + text
  const iso = moment.toISOString().replace('.000Z', 'Z')
  return `${label}${text}  ${iso}, ${timeInWords(value, nowSeconds)}`
}

/** Header and claims as two lists. Times are also in words. */
export function tokenText({ header, claims }: DecodedToken, nowSeconds: number): string {
  const width = Math.max(...[...Object.keys(header), ...Object.keys(claims)].map((n) => n.length))
  const list = (part: Json) =>
    Object.entries(part).map(([name, value]) => lineOf(name, value, width, nowSeconds))
  return ['Header', ...list(header), '', 'Claims', ...list(claims), ''].join('\n')
}
