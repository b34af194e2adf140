/** How a client authenticates: by exactly one method in each request. */
export type ClientAuthentication =
  | { readonly method: 'secret'; readonly secret: string }
  | { readonly method: 'assertion'; readonly assertion: string }
  /** A certificate whose private key the client used in the TLS handshake: RFC 8705 section 2. */
  | { readonly method: 'tls'; readonly sha256Thumbprint: string }

/** A token request, independent of its wire format. */
export type TokenRequest = {
  /** The tenant as the client names it: its id or one of its domains. */
  readonly tenant: string
  readonly clientId: string
  readonly authentication: ClientAuthentication
  /** The API as the client names it: an application id or an identifier URI. */
  readonly resource: string
  /** The parameter `resource` of the v2.0 endpoint, which must name the same API. */
  readonly resourceParameter?: string | undefined
  /** Whether only this parameter names the API. The audience is then that of a scope. */
  readonly isNamedByResource?: boolean
  /** The client ID of the agent identity for which a blueprint requests a token. */
  readonly fmiPath?: string
  /** The capabilities that the client declares: `cp1` for claims challenges. */
  readonly capabilities?: readonly string[]
}
