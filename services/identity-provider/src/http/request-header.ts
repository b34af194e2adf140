import type { Context } from 'hono'
import type { ServerEnv } from './server-env.ts'

/**
 * A header of a request, as Node read it when there is a socket: the web's `Headers` would be built
 * from all of them first, which costs more than reading a whole form.
 */
export function headerOf({ req, env }: Context<ServerEnv>, name: string): string | undefined {
  const headers = env?.incoming?.headers
  if (headers === undefined) return req.header(name)
  const value = headers[name]
  return typeof value === 'string' ? value : value?.join(', ')
}

/** Node keeps the first of some headers and drops the others: two credentials would be one. */
export function repeatedHeader(
  { env }: Context<ServerEnv>,
  names: ReadonlySet<string>,
): string | undefined {
  const rawHeaders = env?.incoming?.rawHeaders ?? []
  const seen = new Set<string>()
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]?.toLowerCase() ?? ''
    if (!names.has(name)) continue
    if (seen.has(name)) return name
    seen.add(name)
  }
  return undefined
}
