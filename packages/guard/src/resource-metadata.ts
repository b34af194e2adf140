/** The description of a protected resource. */
export type ProtectedResource = {
  /** Its identifier: its URL, without a slash at the end. */
  readonly resource: string
  /** The issuer identifiers of the accepted authorization servers. */
  readonly authorizationServers: readonly string[]
  /** The scopes that a client may request. */
  readonly scopes: readonly string[]
  /** The name of the API for people. None by default. */
  readonly name?: string
  /** The URL of a page for developers. None by default. */
  readonly documentation?: string
}

/** The metadata of a protected resource, and its address. */
export type ResourceMetadata = {
  /** The value of `resource_metadata` in challenges. */
  readonly url: string
  /** The path of the URL, for a route. */
  readonly path: string
  readonly document: Readonly<Record<string, unknown>>
}

/**
 * Creates the metadata of a protected resource. A path in the identifier is appended to the
 * well-known path, so that two resources of one host have two documents.
 *
 * @see RFC 9728 sections 2 and 3.1
 * @example
 * const { url, path, document } = describeResource({
 *   resource: 'https://api.example',
 *   authorizationServers: [`https://login.microsoftonline.com/${tenantId}/v2.0`],
 *   scopes: [`api://${apiApplicationId}/.default`],
 * })
 */
export function describeResource(protectedResource: ProtectedResource): ResourceMetadata {
  const { resource, authorizationServers, scopes, name, documentation } = protectedResource
  const { origin, pathname } = new URL(resource)
  const path = `/.well-known/oauth-protected-resource${pathname === '/' ? '' : pathname}`
  return {
    url: origin + path,
    path,
    document: {
      resource,
      authorization_servers: authorizationServers,
      scopes_supported: scopes,
      bearer_methods_supported: ['header'],
      ...(name !== undefined && { resource_name: name }),
      ...(documentation !== undefined && { resource_documentation: documentation }),
    },
  }
}
