import { z } from 'zod'

/** The members of a discovery document that this server needs to find the keys. */
const issuerMetadata = z.object({
  issuer: z.string(),
  jwks_uri: z.string(),
  // Entra refuses a document where these are empty, as SPIRE writes it.
  authorization_endpoint: z.string().min(1).optional(),
  subject_types_supported: z.array(z.unknown()).min(1).optional(),
})

type IssuerMetadata = z.infer<typeof issuerMetadata>

/** A discovery document that is not available, or belongs to another issuer. */
class IssuerMetadataError extends Error {
  readonly code = 'issuer_metadata_invalid'
  override readonly name = 'IssuerMetadataError'
}

const maxBytes = 256 * 1024

/**
 * Requests the discovery document of an issuer. Returns the text without checking it.
 *
 * @param timeoutMs time limit for request and answer, in milliseconds
 * @throws {IssuerMetadataError} issuer_metadata_invalid when there is no document; redirects are not followed
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
      throw new IssuerMetadataError(`${url} answered with status ${response.status}`)
    const parts: Uint8Array[] = []
    let bytes = 0
    for await (const part of response.body ?? []) {
      bytes += part.byteLength
      if (bytes > maxBytes)
        throw new IssuerMetadataError(`The document ${url} is larger than ${maxBytes} bytes`)
      parts.push(part)
    }
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(parts))
  } catch (cause) {
    if (cause instanceof IssuerMetadataError) throw cause
    throw new IssuerMetadataError(`The document ${url} could not be read`, { cause })
  }
}

/**
 * Reads a discovery document. Its issuer must be equal to the requested one.
 *
 * @throws {IssuerMetadataError} issuer_metadata_invalid
 * @see OpenID Connect Discovery 1.0 section 4.3
 */
export function readIssuerMetadata(issuer: string, text: string): IssuerMetadata {
  const parsed = issuerMetadata.safeParse(jsonOrUndefined(text))
  if (!parsed.success) {
    throw new IssuerMetadataError(`The discovery document of ${issuer} is malformed`, {
      cause: parsed.error,
    })
  }
  if (parsed.data.issuer !== issuer)
    throw new IssuerMetadataError(`The discovery document of ${issuer} names another issuer`)
  return parsed.data
}

function jsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
