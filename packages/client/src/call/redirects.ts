import { isSecure } from '../http/secure-url.ts'

const mostRedirects = 5
const redirecting = new Set([301, 302, 303, 307, 308])
const safe = new Set(['GET', 'HEAD'])
const credentials = ['authorization', 'cookie', 'proxy-authorization']

type Request = RequestInit & { readonly method: string; readonly headers: Headers }

export type Followed = {
  readonly response: Response
  /** Whether it is from where the request was sent, and so about the credentials that went along. */
  readonly isFromOrigin: boolean
}

/**
 * Sends a request and follows its redirects by hand, since runtimes differ in what they take along:
 * credentials are lost for good at the first step to another origin, and what would change something
 * is not sent anywhere else at all (the redirect itself is then the answer).
 *
 * @see RFC 9700, section 4.9.1
 */
export async function followRedirects(
  fetch: typeof globalThis.fetch,
  from: URL,
  request: Request,
): Promise<Followed> {
  const headers = new Headers(request.headers)
  let url = from
  let isFromOrigin = true
  for (let redirects = 0; ; redirects += 1) {
    const response = await fetch(url.href, { ...request, headers, redirect: 'manual' })
    const location = response.headers.get('location')
    if (!redirecting.has(response.status) || location === null || !safe.has(request.method)) {
      return { response, isFromOrigin }
    }
    await response.body?.cancel()
    const next = URL.parse(location, url)
    if (next === null || !isSecure(next))
      throw new Error('redirected to where it is not safe to go')
    if (redirects === mostRedirects) throw new Error(`redirected more than ${mostRedirects} times`)
    if (next.origin !== from.origin) {
      isFromOrigin = false
      for (const name of credentials) headers.delete(name)
    }
    url = next
  }
}
