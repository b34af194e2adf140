import { z } from 'zod'

/** What of an issuer's discovery document is needed to find its keys. */
const issuerMetadata = z.object({ issuer: z.string(), jwks_uri: z.string() })

export type IssuerMetadata = z.infer<typeof issuerMetadata>

/** The document of an issuer that could not be had, or is of somebody else. */
export class IssuerMetadataError extends Error {
  readonly code = 'issuer_metadata_invalid'
  override readonly name = 'IssuerMetadataError'
}

const maxBytes = 256 * 1024

/**
 * Asks an issuer for its discovery document and returns the text, unjudged.
 *
 * @param timeoutMs For the whole exchange.
 * @throws {IssuerMetadataError} issuer_metadata_invalid when there is none; redirects are not followed.
 */
export async function requestIssuerMetadata(
  issuer: string,
  fetch: (url: string, init: RequestInit) => Promise<Response>,
  timeoutMs: number,
): Promise<string> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  try {
    const response = await fetch(url, {
      headers: { accept: 'application/json', 'accept-encoding': 'identity' },
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    })
    if (response.status !== 200)
      throw new IssuerMetadataError(`${url} was answered with status ${response.status}.`)
    const decoder = new TextDecoder('utf-8', { fatal: true })
    let text = ''
    for await (const part of response.body ?? []) {
      text += decoder.decode(part, { stream: true })
      if (text.length > maxBytes)
        throw new IssuerMetadataError(`${url} is above ${maxBytes} bytes.`)
    }
    return text
  } catch (cause) {
    if (cause instanceof IssuerMetadataError) throw cause
    throw new IssuerMetadataError(`${url} could not be read.`, { cause })
  }
}

/**
 * Judges a discovery document: it is the issuer's own, to the letter.
 *
 * @throws {IssuerMetadataError} issuer_metadata_invalid
 * @see OpenID Connect Discovery 1.0 §4.3
 */
export function judgeIssuerMetadata(issuer: string, text: string): IssuerMetadata {
  const parsed = issuerMetadata.safeParse(jsonOrUndefined(text))
  if (!parsed.success)
    throw new IssuerMetadataError(`The discovery document of ${issuer} is none.`, {
      cause: parsed.error,
    })
  if (parsed.data.issuer !== issuer)
    throw new IssuerMetadataError(`The discovery document of ${issuer} is of another issuer.`)
  return parsed.data
}

function jsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
