/** What a protected resource says of itself. */
export type ProtectedResource = {
  /** Its identifier: the URL it is reached at, without a slash at its end. */
  readonly resource: string
  /** The issuer identifiers of the authorization servers whose tokens it takes. */
  readonly authorizationServers: readonly string[]
  /** What a client requests to be let in. */
  readonly scopes: readonly string[]
  readonly name?: string
  readonly documentation?: string
}

/** The metadata of a protected resource: where it is served, and what is served there. */
export type ResourceMetadata = {
  /** Named in challenges. */
  readonly url: string
  /** The path of the URL, to route by. */
  readonly path: string
  readonly document: Readonly<Record<string, unknown>>
}

/**
 * Writes the metadata of a protected resource. A path in the identifier moves behind the well-known
 * one, so that two resources of one host do not meet.
 *
 * @see RFC 9728 sections 2 and 3.1
 * @example
 * const { url, path, document } = describeResource({
 *   resource: 'https://api.example',
 *   authorizationServers: [`https://login.microsoftonline.com/${tenantId}/v2.0`],
 *   scopes: [`api://${apiApplicationId}/.default`],
 * })
 */
export function describeResource(of: ProtectedResource): ResourceMetadata {
  const { origin, pathname } = new URL(of.resource)
  const path = `/.well-known/oauth-protected-resource${pathname === '/' ? '' : pathname}`
  return {
    url: origin + path,
    path,
    document: {
      resource: of.resource,
      authorization_servers: of.authorizationServers,
      scopes_supported: of.scopes,
      bearer_methods_supported: ['header'],
      ...(of.name !== undefined && { resource_name: of.name }),
      ...(of.documentation !== undefined && { resource_documentation: of.documentation }),
    },
  }
}
