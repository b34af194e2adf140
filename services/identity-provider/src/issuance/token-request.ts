/** By which means a client says that it is who it is: one in each request, never several. */
export type ClientAuthentication =
  | { readonly method: 'secret'; readonly secret: string }
  | { readonly method: 'assertion'; readonly assertion: string }

/** A client's question, read from whatever wire it came over. */
export type TokenRequest = {
  /** The tenant as the client names it: its id or one of its domains. */
  readonly tenant: string
  readonly clientId: string
  readonly proof: ClientAuthentication
  /** The API as the client names it: an application id or an identifier URI. */
  readonly resource: string
}
