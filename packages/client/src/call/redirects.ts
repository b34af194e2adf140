import { isSecureUrl } from '../http/secure-url.ts'
import type { Runtime } from '../runtime.ts'

const maxRedirects = 5
const redirectStatuses = new Set([301, 302, 303, 307, 308])
const safeMethods = new Set(['GET', 'HEAD'])
const credentialHeaders = ['authorization', 'cookie', 'proxy-authorization']

type Request = RequestInit & { readonly method: string; readonly headers: Headers }

export type RedirectResult = {
  readonly response: Response
  /** True if the answer comes from the first origin, which received the credentials. */
  readonly isFromOrigin: boolean
}

/**
 * Sends a request and follows its redirects, because runtimes differ in the headers that they keep.
 * The first redirect to another origin removes the credentials. A request that is not safe is not
 * redirected: the redirect is the answer.
 *
 * @see RFC 9700 section 4.9.1
 */
export async function followRedirects(
  { fetch, createHeaders }: Pick<Runtime, 'fetch' | 'createHeaders'>,
  from: URL,
  request: Request,
): Promise<RedirectResult> {
  const headers = createHeaders(request.headers)
  let url = from
  let isFromOrigin = true
  for (let redirects = 0; ; redirects += 1) {
    const response = await fetch(url.href, { ...request, headers, redirect: 'manual' })
    const location = response.headers.get('location')
    if (
      !redirectStatuses.has(response.status) ||
      location === null ||
      !safeMethods.has(request.method)
    ) {
      return { response, isFromOrigin }
    }
    await response.body?.cancel()
    const next = URL.parse(location, url)
    if (next === null || !isSecureUrl(next)) throw new Error('redirected to a URL without TLS')
    if (redirects === maxRedirects) throw new Error(`redirected more than ${maxRedirects} times`)
    if (next.origin !== from.origin) {
      isFromOrigin = false
      for (const name of credentialHeaders) headers.delete(name)
    }
    url = next
  }
}
