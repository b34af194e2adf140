/** The host of Azure AD Graph, which Microsoft retired in favor of Microsoft Graph. */
export const azureAdGraphHost = 'graph.windows.net'

/** The part of a request that the translation needs. */
export type TranslatedRequest = {
  readonly host: string
  readonly method: string
  /** The path with its query. */
  readonly path: string
  readonly body: string
}

const microsoftGraph = 'graph.microsoft.com'

/**
 * Translates a request for Azure AD Graph, or for a token for it, to a request for Microsoft Graph.
 * Other requests are not changed.
 *
 * @returns undefined for an operation of Azure AD Graph that is not translated
 */
export function toMicrosoftGraph(request: TranslatedRequest): TranslatedRequest | undefined {
  const { host, method, path, body } = request
  if (host !== azureAdGraphHost) {
    const form = new URLSearchParams(body)
    if (form.get('resource') !== `https://${azureAdGraphHost}/`) return request
    form.set('resource', `https://${microsoftGraph}/`)
    return { ...request, body: form.toString() }
  }
  const { pathname, searchParams } = new URL(path, `https://${host}`)
  const [, , collection, ...rest] = pathname.split('/')
  if (method !== 'GET' || collection !== 'servicePrincipals' || rest.length > 0) return undefined
  searchParams.delete('api-version')
  return { ...request, host: microsoftGraph, path: `/v1.0/servicePrincipals?${searchParams}` }
}

type MicrosoftGraphBody = {
  readonly value?: readonly { readonly id: string; readonly [name: string]: unknown }[]
  readonly error?: { readonly code: string; readonly message: string }
}

/** Translates a list of service principals, or an error, to the Azure AD Graph 1.6 format. */
export function fromMicrosoftGraph({ value, error }: MicrosoftGraphBody): object {
  if (error !== undefined) {
    return { 'odata.error': { code: error.code, message: { lang: 'en', value: error.message } } }
  }
  return {
    'odata.metadata': `https://${azureAdGraphHost}/myorganization/$metadata#directoryObjects`,
    value: (value ?? []).map(({ id, ...properties }) => ({
      'odata.type': 'Microsoft.DirectoryServices.ServicePrincipal',
      objectType: 'ServicePrincipal',
      objectId: id,
      ...properties,
    })),
  }
}
